/** The text of a problem with its details. Apart from problems.ts, which is in one file of the package, as every entry needs this. */

/** Returns the message with the details below it, one per line, each with its path. */
export const formatProblem = (
  message: string,
  details: readonly { readonly path: string; readonly message: string }[],
): string => [message, ...details.map(({ path, message: text }) => `  ${path}: ${text}`)].join('\n');
