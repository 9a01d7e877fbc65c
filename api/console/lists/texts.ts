/** Texts of lists of what the app declares, by what they list. Used by NamedList. */
export const listTexts = {
  flag: {
    none: 'No flags that you see',
    noneFound: 'No such flag',
    noneFoundAbout: 'No flag’s name or description has these words.',
    search: 'Search flags',
    openFirst: 'Press j for the first flag.',
  },
  page: {
    none: 'No pages yet',
    noneFound: 'No such page',
    noneFoundAbout: 'No page’s name or description has these words.',
    search: 'Search pages',
    openFirst: 'Press j for the first page.',
  },
};
