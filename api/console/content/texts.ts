/** Texts of blocks and their values, and of the link to the audit log. Used by the files of this folder. */
import { inRow } from '../ui/plural.ts';
import { count } from '../ui/time.ts';

export const contentTexts = {
  labelled: (label: string, value: string) => `${label} ${value}`,
  yes: 'Yes',
  no: 'No',
  table: 'Table',
  chart: 'Chart',
  chartOf: (title: string, series: readonly string[]) => `${title}: ${inRow(series)}`,
  asTable: 'As a table',
  problem: (n: number, message: string) => `${count(n)}: ${message}`,
  otherProblems: (n: number) => `${count(n)} for other reasons`,
  auditOfThis: 'Audit log of this',
};
