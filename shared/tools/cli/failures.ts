/** The errors that the admin tool prints without a stack trace, and the hash of an audit log, which several commands take. */

/** A mistake in how the command is written: printed with the command's usage, exit code 2. */
export class UsageError extends Error {}

/** A command that can't be done at present: printed as one sentence, exit code 1. */
export class CommandFailure extends Error {}

/** Returns the bytes of a hash as `audit head` prints it; null without one. */
export const keptHash = (text: string | undefined): Buffer | null => {
  if (text === undefined) return null;
  if (!/^[0-9a-f]{64}$/i.test(text))
    throw new UsageError('--head must be a hash as audit head prints it: 64 hex digits.');
  return Buffer.from(text, 'hex');
};
