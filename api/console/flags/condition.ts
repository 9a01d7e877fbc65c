/** Conditions as rows of a form, and back. Used by RuleEditor. */
import { scalarOf, scalarText } from './value.ts';

export interface Row {
  readonly field: string;
  readonly op: string;
  readonly text: string;
}

export interface RowForm {
  readonly join: 'all' | 'any';
  readonly rows: readonly Row[];
}

export const emptyRow: Row = { field: '', op: 'eq', text: '' };

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isList = (op: string): boolean => op === 'in' || op === 'nin';

const toRow = (condition: unknown): Row | null => {
  if (!isObject(condition) || typeof condition['field'] !== 'string') return null;
  const { field, op, value } = condition;
  const text = Array.isArray(value)
    ? value.map(scalarText).join(', ')
    : value === undefined
      ? 'true'
      : scalarText(value);
  return { field, op: String(op), text };
};

/** Returns a condition as rows; null: it is nested deeper, and is edited as JSON. */
export const toRows = (condition: unknown): RowForm | null => {
  const join = isObject(condition) && Array.isArray(condition['any']) ? 'any' : 'all';
  const given =
    isObject(condition) && Array.isArray(condition[join]) ? (condition[join] as readonly unknown[]) : [condition];
  const rows = given.flatMap((each) => {
    const row = toRow(each);
    return row === null ? [] : [row];
  });
  return rows.length === given.length ? { join, rows } : null;
};

/** Returns the condition of rows. */
export const fromRows = ({ join, rows }: RowForm): Readonly<Record<string, unknown>> => {
  const conditions = rows.map(({ field, op, text }) => ({
    field: field.trim(),
    op,
    value: isList(op)
      ? text
          .split(',')
          .filter((part) => part.trim() !== '')
          .map(scalarOf)
      : ['startsWith', 'endsWith', 'matchesSemver'].includes(op)
        ? text
        : scalarOf(text),
  }));
  const [only] = conditions;
  return conditions.length === 1 && only !== undefined ? only : { [join]: conditions };
};
