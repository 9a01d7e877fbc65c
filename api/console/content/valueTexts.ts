/** Texts of single values. Used by values.ts and Value.tsx; tests call the functions of values.ts without the page. */
export const valueTexts = {
  labelled: (label: string, value: string) => `${label} ${value}`,
  yes: 'Yes',
  no: 'No',
};
