/** Sends reports, in the length that the service takes. Used by connect.ts and `testApp`. */
import { createHash, randomUUID } from 'node:crypto';
import type { AppCalls } from '../applink/protocol.ts';
import type { Report } from './client.ts';
import type { OutgoingQueue } from './outgoingQueue.ts';
import { LinkProblem } from './problems.ts';
import { cutText } from './texts.ts';

/** Characters of a title, a key and a user. */
const textMax = 500;

/** Returns a key as it is, or the beginning of one that is too long with a hash of the whole: equal ones stay equal, others differ. */
const fitKey = (key: string): string => {
  if (cutText(key, textMax) === key) return key;
  const hash = createHash('sha256').update(key).digest('hex');
  return `${cutText(key, textMax - hash.length - 1)}#${hash}`;
};

/** Returns the report with its title, key and user in the length that the service takes. What is no text is left for it to refuse. */
export const fitReport = (report: Report): Report => {
  const { title, key, user } = report;
  return {
    ...report,
    ...(typeof title === 'string' ? { title: cutText(title, textMax) } : {}),
    ...(typeof key === 'string' ? { key: fitKey(key) } : {}),
    ...(typeof user === 'string' ? { user: fitKey(user) } : {}),
  };
};

/**
 * Sends a report, with the present time as its `at` when the client is offline. When the service finds that time in the
 * future, as the clocks differ, the report is sent without it.
 */
export const sendReport = async (
  outgoing: OutgoingQueue,
  given: Report,
  isOnline: boolean,
): Promise<AppCalls['items.report']['result']> => {
  const report = { ...fitReport(given), delivery: given.delivery ?? randomUUID() };
  if (isOnline || given.at !== undefined) return outgoing.add('items.report', report, 'items');
  try {
    return await outgoing.add('items.report', { ...report, at: Date.now() }, 'items');
  } catch (error) {
    if (error instanceof LinkProblem && error.details.some(({ path }) => path === 'at'))
      return outgoing.add('items.report', report, 'items');
    throw error;
  }
};
