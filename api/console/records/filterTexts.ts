/** Texts of the filters of records. Used by filters.ts and FilterDialog. */
export const filterTexts = {
  title: 'Filter',
  about: 'Only records of which this is true are listed; several filters have to hold together.',
  add: 'Add filter',
  field: 'Field',
  comparison: 'Comparison',
  value: 'Value',
  values: 'Values, with commas between them',
  yes: 'Yes',
  no: 'No',
  noNumber: 'Write a number like 12.5.',
  noValue: 'Write a value first.',

  /** Comparisons as the dialog offers them. */
  ops: {
    eq: 'is',
    ne: 'is not',
    in: 'is one of',
    contains: 'contains',
    startsWith: 'begins with',
    exists: 'is given',
    gte: 'at least',
    lte: 'at most',
    from: 'from',
    before: 'before',
  },
  /** A filter that is set; `op`: one of the comparisons. */
  said: (field: string, op: string, value: string) => `${field} ${op} ${value}`,
  given: (field: string) => `${field} is given`,
  notGiven: (field: string) => `${field} is not given`,
  isTrue: 'yes',
  isFalse: 'no',
  oneOf: (values: readonly string[]) => values.join(' or '),
};
