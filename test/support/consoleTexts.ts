/** Which files of the console hold its texts. Used by the law and the browser's test of them. */

/** Folders of api/console whose texts still stand in components; the others are held. */
export const foldersToCome: readonly string[] = [
  'account',
  'actions',
  'agents',
  'approvals',
  'audit',
  'bulks',
  'environments',
  'erasures',
  'flags',
  'jobs',
  'keys',
  'loosenings',
  'people',
  'roles',
  'runs',
  'settings',
];

/** Names of files of texts: `texts.ts`, or `<part>Texts.ts` for a part that is loaded at another time. */
export const textsFile = /(?:^|\/)(?:texts|\w+Texts)\.tsx?$/;
