/** Formats tables and times for a terminal; used by the admin tool's commands. */

/** Returns a table's lines, each column as wide as its widest cell; only `empty` when there are no rows. */
export const formatTable = (head: readonly string[], rows: readonly (readonly string[])[], empty: string): string[] => {
  if (rows.length === 0) return [empty];
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((cells) => (cells[column] ?? '').length)));
  return all.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};

/** Returns a time as text, in UTC; `never` for null. */
export const formatTime = (at: number | null, never: string): string =>
  at === null ? never : `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

export const credentialLines = (token: string, baseUrl: string | null): string[] => [
  `token:    ${token}   (shown this once)`,
  ...(baseUrl === null ? [] : [`base URL: ${baseUrl}`]),
];
