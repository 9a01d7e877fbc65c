/** The texts of the fields of an action's form: how they are filled, and what is wrong with what was typed. */
export const fieldTexts = {
  /** The name of a whole input that has no fields. */
  input: 'Input',
  yes: 'Yes',
  no: 'No',
  choose: 'Choose…',
  notGiven: 'Not given',
  asJson: 'as JSON',
  /** The name of one of a list's fields, counted from 1. */
  row: (label: string, n: number) => `${label} ${String(n)}`,
  add: (label: string) => `Add ${label.toLowerCase()}`,
  remove: 'Remove',
  removeRow: (label: string, n: number) => `Remove ${label} ${String(n)}`,
  /** `what`: one of those below, or the API's, such as "is missing". */
  problem: (field: string, what: string) => `${field} ${what}`,
  isRequired: 'is required',
  /** Of a date or a time of which only a part is typed. */
  isIncomplete: 'is not complete',
  isNoNumber: 'is not a number; write it like 12.5',
  isNoJson: (why: string) => `is not JSON: ${why}`,
  hasMore: 'has members that the form does not show',
  limits: {
    atLeast: (n: number) => `at least ${String(n)}`,
    moreThan: (n: number) => `more than ${String(n)}`,
    atMost: (n: number) => `at most ${String(n)}`,
    lessThan: (n: number) => `less than ${String(n)}`,
  },
};
