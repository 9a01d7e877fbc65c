/** Sends reports, in the length that the service takes. Used by connect.ts and `testApp`. */
import { createHash, randomUUID } from 'node:crypto';
import type { AppCalls } from '../app/link/protocol.ts';
import type { Report } from './client.ts';
import type { OutgoingQueue } from './outgoingQueue.ts';
import { cutText } from './texts.ts';

/** Characters of a title, also of the record's, of a key and of a user. */
const textMax = 500;

/** Returns a key as it is, or the beginning of one that is too long with a hash of the whole: equal ones stay equal, others differ. */
const fitKey = (key: string): string => {
  if (cutText(key, textMax) === key) return key;
  const hash = createHash('sha256').update(key).digest('hex');
  return `${cutText(key, textMax - hash.length - 1)}#${hash}`;
};

/** Returns the report with its title, key and user in the length that the service takes. What is no text is left for it to refuse. */
export const fitReport = (report: Report): Report => {
  const { title, key, user, record } = report;
  return {
    ...report,
    ...(typeof title === 'string' ? { title: cutText(title, textMax) } : {}),
    ...(typeof key === 'string' ? { key: fitKey(key) } : {}),
    ...(typeof record?.title === 'string' ? { record: { ...record, title: cutText(record.title, textMax) } } : {}),
    ...(typeof user === 'string' ? { user: fitKey(user) } : {}),
  };
};

/** Sends a report under a `delivery`. */
export const sendReport = async (
  outgoing: OutgoingQueue,
  report: Report,
): Promise<AppCalls['items.report']['result']> => {
  const [answer] = outgoing.add('items.report', [{ ...fitReport(report), delivery: report.delivery ?? randomUUID() }]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `add` returns a promise for each request
  return answer as NonNullable<typeof answer>;
};
