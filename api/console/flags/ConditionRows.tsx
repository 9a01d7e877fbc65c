/** A condition as lines of field, comparison and value, and those lines as a condition. Used by RuleEditor. */
import { isObject } from '../content/values.ts';
import { Button } from '../ui/Button.tsx';
import { Select } from '../ui/fields.tsx';
import { scalarOf, scalarText } from './inputs.tsx';
import { flagTexts } from './texts.tsx';
import { wordTexts } from './wordTexts.ts';

interface Row {
  readonly field: string;
  readonly op: string;
  readonly text: string;
}

export interface RowForm {
  readonly join: 'all' | 'any';
  readonly rows: readonly Row[];
}

export const emptyRow: Row = { field: '', op: 'eq', text: '' };

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

const texts = flagTexts.rules.condition;

interface ConditionRowsProps {
  readonly form: RowForm;
  readonly onForm: (form: RowForm) => void;
}

export const ConditionRows = ({ form, onForm }: ConditionRowsProps) => {
  const { join, rows } = form;
  const set = (at: number, part: Partial<Row>): void =>
    onForm({ join, rows: rows.map((row, each) => (each === at ? { ...row, ...part } : row)) });
  return (
    <fieldset>
      <legend>{texts.title}</legend>
      {rows.length > 1 && (
        <Select
          aria-label={texts.join}
          value={join}
          options={[
            ['all', texts.all],
            ['any', texts.any],
          ]}
          onValue={(value) => onForm({ join: value === 'any' ? 'any' : 'all', rows })}
        />
      )}
      {rows.map(({ field, op, text }, at) => (
        <div className="condition-row" key={at}>
          <input
            aria-label={texts.field(at + 1)}
            placeholder={texts.fieldExample}
            value={field}
            maxLength={300}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => set(at, { field: target.value })}
          />
          <Select
            aria-label={texts.comparison(at + 1)}
            value={op}
            options={Object.entries(wordTexts.ops)}
            onValue={(value) => set(at, { op: value, ...(value === 'exists' ? { text: 'true' } : {}) })}
          />
          <input
            aria-label={texts.value(at + 1)}
            placeholder={op === 'in' || op === 'nin' ? texts.valuesExample : texts.valueExample}
            value={text}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => set(at, { text: target.value })}
          />
          {rows.length > 1 && (
            <Button
              tone="bare"
              aria-label={texts.remove(at + 1)}
              onClick={() => onForm({ join, rows: rows.toSpliced(at, 1) })}
            >
              ×
            </Button>
          )}
        </div>
      ))}
      <Button tone="bare" onClick={() => onForm({ join, rows: [...rows, emptyRow] })}>
        {texts.add}
      </Button>
    </fieldset>
  );
};
