/** A condition as lines of field, comparison and value. Used by RuleEditor. */
import { Button } from '../ui/Button.tsx';
import { emptyRow, type Row, type RowForm } from './condition.ts';
import { ruleTexts } from './ruleTexts.tsx';
import { wordTexts } from './wordTexts.ts';

const texts = ruleTexts.condition;

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
        <select
          aria-label={texts.join}
          value={join}
          onChange={({ target }) => onForm({ join: target.value === 'any' ? 'any' : 'all', rows })}
        >
          <option value="all">{texts.all}</option>
          <option value="any">{texts.any}</option>
        </select>
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
          <select
            aria-label={texts.comparison(at + 1)}
            value={op}
            onChange={({ target }) =>
              set(at, { op: target.value, ...(target.value === 'exists' ? { text: 'true' } : {}) })
            }
          >
            {Object.entries(wordTexts.ops).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
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
