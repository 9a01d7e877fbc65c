/** Prints a problem of a manifest with the name of what has it, for the command `check`. */

/** What the lists of a manifest hold, and the member that names it. */
const things: Readonly<Record<string, readonly [string, string]>> = {
  resources: ['resource', 'name'],
  inboxes: ['inbox', 'name'],
  views: ['view', 'name'],
  actions: ['action', 'name'],
  pages: ['page', 'name'],
  flags: ['flag', 'key'],
};

const memberOf = (value: unknown, member: string): unknown =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === member)?.[1]
    : undefined;

/** Returns a line such as `action refund (actions.3.when.field): names …`; the path alone where nothing has a name there. */
export const problemLine = (
  manifest: unknown,
  { path, message }: { readonly path: string; readonly message: string },
): string => {
  const [list = '', place = ''] = path.split('.');
  const [kind, member] = things[list] ?? [];
  const name = member === undefined ? undefined : memberOf(memberOf(memberOf(manifest, list), place), member);
  return kind === undefined || typeof name !== 'string' || name === ''
    ? `${path}: ${message}`
    : `${kind} ${name} (${path}): ${message}`;
};
