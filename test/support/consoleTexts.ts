/** Which files of the console hold its texts. Used by the law and the browser's test of them. */

/** Names of files of texts: `texts.ts`, or `<part>Texts.ts` for a part that is loaded at another time. */
export const textsFile = /(?:^|\/)(?:texts|\w+Texts)\.tsx?$/;
