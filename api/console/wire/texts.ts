/** Texts of requests that fail without a sentence of the API's. Loaded with the page; used by the files of this folder. */
export const wireTexts = {
  /** Stands in the API's own sentence. */
  waitUnknown: 'a few seconds',
  wait: (seconds: number) =>
    new Intl.NumberFormat('en', { style: 'unit', unit: 'second', unitDisplay: 'long' }).format(seconds),
  noSentence: (status: number) => `The server answered ${String(status)}.`,
  tooLarge: (refusal: string) => `${refusal} Shorten what you typed; it is kept.`,
  late: (seconds: number) => `The server has not answered for ${String(seconds)} seconds.`,
  lateChange: (seconds: number) =>
    `The server has not answered for ${String(seconds)} seconds. Whether it was done is not known; look, then try again.`,
  moreThan: (n: number) => `more than ${String(n)}`,
  unreachable: 'The server can’t be reached.',
  unreachableChange: 'The server could not be reached. What you typed is kept; try again.',
};
