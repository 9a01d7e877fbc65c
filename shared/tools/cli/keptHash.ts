/** A hash of the audit log's chain that an administrator kept elsewhere; used by the commands that verify. */
import { UsageError } from './failures.ts';

/** Returns the bytes of a hash as `audit head` prints it; null without one. */
export const keptHash = (text: string | undefined): Buffer | null => {
  if (text === undefined) return null;
  if (!/^[0-9a-f]{64}$/i.test(text))
    throw new UsageError('--head must be a hash as audit head prints it: 64 hex digits.');
  return Buffer.from(text, 'hex');
};
