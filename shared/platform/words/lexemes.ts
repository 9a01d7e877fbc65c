/** Parts of the lexemes that items and records are found by, and of the tsqueries that look them up. Used by search/terms.ts and records/terms.ts. */

/** Returns three characters for a name (FNV-1a). Two names may share them, so lists also compare the name itself. */
export const nameCode = (name: string): string => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193) >>> 0;
  return (hash % 46_656).toString(36).padStart(3, '0');
};

/** Returns a text as it stands inside the quotes of a tsquery's lexeme, where no character is an operator. */
export const escapeLexeme = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll("'", "''");
