/** Request headers as they were sent: what is given twice is seen as given twice. */
import type { IncomingMessage } from 'node:http';

const none: readonly string[] = [];

/**
 * The values of a header, whose `name` is in lower case. As in `headersDistinct`, which makes an object of all headers
 * and so costs ten times as much.
 */
export const headerValues = (
  { headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>,
  name: string,
): readonly string[] => {
  if (headers[name] === undefined) return none;
  const values: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const given = rawHeaders[i] ?? '';
    if (given.length === name.length && given.toLowerCase() === name) values.push(rawHeaders[i + 1] ?? '');
  }
  return values;
};
