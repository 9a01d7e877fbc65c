/**
 * Marks texts of the console as another language would replace them: `⟦…⟧` around each, `⟧…⟦` around what is put into one. Runs
 * in the page that markedConsole.ts builds.
 */

/** What is used of React, whose own types would make those of the browser known to all tests. */
interface React {
  readonly Fragment: unknown;
  createElement(type: unknown, props: null, ...children: unknown[]): unknown;
  isValidElement(value: unknown): boolean;
}

/** Returns the texts of a file with their marks. */
export const marked = <T>(texts: T, { Fragment, createElement, isValidElement }: React): T => {
  /** Returns a value with the marks around each text in it, and around what its functions return; what these take has the others. */
  const between = (value: unknown, before: string, after: string): unknown => {
    if (typeof value === 'string') return value === '' ? value : `${before}${value}${after}`;
    if (typeof value === 'function')
      return (...given: unknown[]): unknown => {
        const put = given.map((each) => between(each, after, before));
        return between((value as (...given: unknown[]) => unknown)(...put), before, after);
      };
    if (isValidElement(value)) return createElement(Fragment, null, before, value, after);
    if (Array.isArray(value)) return value.map((each: unknown) => between(each, before, after));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, between(each, before, after)]));
    return value;
  };
  return between(texts, '⟦', '⟧') as T;
};
