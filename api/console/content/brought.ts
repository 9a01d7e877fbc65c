/** What a report of an item brought: what a customer wrote, and the other members. Used by timelines and the page of approvals. */
import { isObject } from './values.ts';

/** Names of members that hold what a customer wrote, by habit of apps. */
const bodies = ['body', 'text', 'message', 'content'];

interface Brought {
  /** null: nobody wrote anything. */
  readonly text: string | null;
  readonly rest: readonly (readonly [string, unknown])[];
}

/** Returns what the data of an occurrence has. */
export const broughtBy = (data: unknown): Brought => {
  const brought = isObject(data) ? data : {};
  const name = bodies.find((each) => typeof brought[each] === 'string');
  return {
    text: name === undefined ? null : String(brought[name]),
    rest: Object.entries(brought).filter(([each]) => each !== name),
  };
};

/** Returns such data with no more than so many characters of what was written. */
export const shortenedData = (data: unknown, shorten: (text: string) => string): unknown => {
  const { text, rest } = broughtBy(data);
  return text === null ? data : Object.fromEntries([['text', shorten(text)], ...rest]);
};
