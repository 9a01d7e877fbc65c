/** Texts in the place of a person's name. Loaded with the page; used by names.ts. */
export const nameTexts = {
  nobody: 'Nobody',
  unknown: 'A colleague',
};
