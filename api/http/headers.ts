/** Request headers as they were sent, with those that are given twice. */
import type { IncomingMessage } from 'node:http';

const none: readonly string[] = [];

/**
 * Returns the values of a header, whose `name` is in lower case, as Node's `headersDistinct` does, which makes an object of
 * all headers and so takes ten times as long.
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
