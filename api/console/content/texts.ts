/** Texts of blocks and their values. Used by the files of this folder. */
export const contentTexts = {
  yes: 'Yes',
  no: 'No',
  table: 'Table',
  chart: 'Chart',
  chartOf: (title: string, series: readonly string[]) => `${title}: ${series.join(', ')}`,
  asTable: 'As a table',
};
