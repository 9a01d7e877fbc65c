/** Adds a filter to a list of records: a field, a comparison and a value of the field's type. Used by RecordsHeader. */
import { useState } from 'react';
import { FormDialog } from '../ui/FormDialog.tsx';
import { kindOfField, opsOf, readValue, type Filter, type ResourceField } from './filters.ts';
import { filterTexts } from './filterTexts.ts';

interface FilterDialogProps {
  /** Those that can be filtered by. */
  readonly fields: readonly ResourceField[];
  readonly onAdd: (filter: Filter) => void;
  readonly onClose: () => void;
}

const inputTypes = { text: 'text', number: 'text', time: 'date', boolean: 'text' } as const;

export const FilterDialog = ({ fields, onAdd, onClose }: FilterDialogProps) => {
  const [name, setName] = useState(fields[0]?.name ?? '');
  const field = fields.find((each) => each.name === name);
  const ops = field === undefined ? [] : opsOf(field);
  const [chosen, setOp] = useState('');
  const op = ops.some((each) => each.op === chosen) ? chosen : (ops[0]?.op ?? 'eq');
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const kind = field === undefined ? 'text' : kindOfField(field);
  const isYesNo = kind === 'boolean' || op === 'exists';
  return (
    <FormDialog
      title={filterTexts.title}
      about={filterTexts.about}
      deed={filterTexts.add}
      problem={problem}
      onSubmit={(event) => {
        event.preventDefault();
        if (field === undefined) return;
        const value = readValue(field, op, text);
        if (value === null) {
          setProblem(kind === 'number' ? filterTexts.noNumber : filterTexts.noValue);
          return;
        }
        onAdd({ field: field.name, op, value });
        onClose();
      }}
      onClose={onClose}
    >
      <label>
        {filterTexts.field}
        <select value={name} autoFocus onChange={({ target }) => setName(target.value)}>
          {fields.map((each) => (
            <option key={each.name} value={each.name}>
              {each.label}
            </option>
          ))}
        </select>
      </label>
      <label>
        {filterTexts.comparison}
        <select value={op} onChange={({ target }) => setOp(target.value)}>
          {ops.map((each) => (
            <option key={each.op} value={each.op}>
              {each.label}
            </option>
          ))}
        </select>
      </label>
      <label>
        {op === 'in' ? filterTexts.values : filterTexts.value}
        {isYesNo ? (
          <select value={text === 'false' ? 'false' : 'true'} onChange={({ target }) => setText(target.value)}>
            <option value="true">{filterTexts.yes}</option>
            <option value="false">{filterTexts.no}</option>
          </select>
        ) : (
          <input
            type={inputTypes[kind]}
            value={text}
            autoComplete="off"
            {...(kind === 'number' ? { inputMode: 'decimal' as const } : {})}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </label>
    </FormDialog>
  );
};
