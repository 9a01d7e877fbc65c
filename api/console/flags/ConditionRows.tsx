/** A condition as lines of field, comparison and value. Used by RuleEditor. */
import { Button } from '../ui/Button.tsx';
import { emptyRow, type Row, type RowForm } from './condition.ts';
import { opTexts } from './words.ts';

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
      <legend>When</legend>
      {rows.length > 1 && (
        <select
          aria-label="How the lines go together"
          value={join}
          onChange={({ target }) => onForm({ join: target.value === 'any' ? 'any' : 'all', rows })}
        >
          <option value="all">all of these hold</option>
          <option value="any">any of these holds</option>
        </select>
      )}
      {rows.map(({ field, op, text }, at) => (
        <div className="condition-row" key={at}>
          <input
            aria-label={`Field ${String(at + 1)}`}
            placeholder="plan"
            value={field}
            maxLength={300}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => set(at, { field: target.value })}
          />
          <select
            aria-label={`Comparison ${String(at + 1)}`}
            value={op}
            onChange={({ target }) =>
              set(at, { op: target.value, ...(target.value === 'exists' ? { text: 'true' } : {}) })
            }
          >
            {opTexts.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
          <input
            aria-label={`Value ${String(at + 1)}`}
            placeholder={op === 'in' || op === 'nin' ? 'team, enterprise' : 'team'}
            value={text}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => set(at, { text: target.value })}
          />
          {rows.length > 1 && (
            <Button
              tone="bare"
              aria-label={`Remove line ${String(at + 1)}`}
              onClick={() => onForm({ join, rows: rows.toSpliced(at, 1) })}
            >
              ×
            </Button>
          )}
        </div>
      ))}
      <Button tone="bare" onClick={() => onForm({ join, rows: [...rows, emptyRow] })}>
        Add a line
      </Button>
    </fieldset>
  );
};
