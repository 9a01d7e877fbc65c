/** The head of a list of records: search, order and filters; all of it stands in the address. Used by ResourcePage. */
import { Link } from '@tanstack/react-router';
import { useCallback, useState, type RefObject } from 'react';
import { isObject, toWords } from '../content/values.ts';
import { readRecordsSearch, type RecordsSearch } from '../shell/address.ts';
import { useSession } from '../shell/session.ts';
import { shellTexts } from '../shell/texts.tsx';
import { Button } from '../ui/Button.tsx';
import { Select, Choice, TextInput } from '../ui/fields.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { SearchInput, useTypedSearch } from '../ui/SearchInput.tsx';
import { dateOf, dayText } from '../ui/time.ts';
import { fromLocalTime } from '../ui/wallTime.ts';
import { parsed } from '../wire/json.ts';
import type { Resource } from '../wire/types.ts';
import { recordsTexts } from './texts.tsx';

type ResourceField = Resource['fields'][number];

interface Filter {
  readonly field: string;
  readonly op: string;
  readonly value: unknown;
}

interface Op {
  readonly op: string;
  readonly label: string;
}

const { ops } = recordsTexts.filters;

/** Returns comparisons by the API's names, each with its usual label. */
const named = (...names: readonly (keyof typeof ops)[]): readonly Op[] => names.map((op) => ({ op, label: ops[op] }));

const textOps = named('eq', 'ne', 'in', 'contains', 'startsWith', 'exists');
const orderOps = named('eq', 'ne', 'gte', 'lte', 'exists');
const timeOps: readonly Op[] = [
  { op: 'gte', label: ops.from },
  { op: 'lt', label: ops.before },
  { op: 'exists', label: ops.exists },
];
const booleanOps = named('eq', 'exists');

type ValueKind = 'text' | 'number' | 'time' | 'date' | 'boolean';

/** Returns what values a field of a declared type has. */
const kindOfField = ({ type }: Pick<ResourceField, 'type'>): ValueKind =>
  type === 'number' || type === 'money'
    ? 'number'
    : type === 'time' || type === 'date' || type === 'boolean'
      ? type
      : 'text';

/** Returns the comparisons of a field. */
const opsOf = (field: ResourceField): readonly Op[] =>
  ({ text: textOps, number: orderOps, time: timeOps, date: orderOps, boolean: booleanOps })[kindOfField(field)];

/** Returns the filters of an address, one for each comparison; null: it can't be read. */
const readFilters = (text: string | undefined): readonly Filter[] | null => {
  if (text === undefined) return [];
  const given = parsed(text);
  if (!isObject(given)) return null;
  return Object.entries(given).flatMap(([field, value]): Filter[] => {
    if (Array.isArray(value)) return [{ field, op: 'in', value }];
    if (!isObject(value)) return [{ field, op: 'eq', value }];
    return Object.entries(value).map(([op, of]) => ({ field, op, value: of }));
  });
};

/** Returns filters as the address and the API have them; empty: there are none. */
const writeFilters = (filters: readonly Filter[]): string => {
  if (filters.length === 0) return '';
  const byField = new Map<string, Record<string, unknown>>();
  for (const { field, op, value } of filters) byField.set(field, { ...byField.get(field), [op]: value });
  return JSON.stringify(Object.fromEntries(byField));
};

/** Returns the value of a filter from what was typed; null: it is none of the field's type. */
const readValue = (field: ResourceField, op: string, text: string): unknown => {
  if (op === 'exists') return text !== 'false';
  const kind = kindOfField(field);
  if (op === 'in') return text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
  if (kind === 'boolean') return text !== 'false';
  if (kind === 'text' || kind === 'date') return text.trim() === '' ? null : text.trim();
  const value = kind === 'time' ? fromLocalTime(`${text}T00:00`) : Number(text);
  return text.trim() === '' || !Number.isFinite(value) ? null : value;
};

const saidValue = (field: ResourceField | undefined, value: unknown): string => {
  if (field !== undefined && kindOfField(field) === 'time' && typeof value === 'number') return dateOf(value);
  if (field?.type === 'date') return dayText(value) ?? String(value);
  if (typeof value === 'boolean') return value ? recordsTexts.filters.isTrue : recordsTexts.filters.isFalse;
  return Array.isArray(value)
    ? recordsTexts.filters.oneOf(value.map(String))
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);
};

/** Returns a filter in words. */
const saidFilter = ({ field: name, op, value }: Filter, fields: readonly ResourceField[]): string => {
  const field = fields.find((each) => each.name === name);
  const label = field?.label ?? toWords(name);
  if (op === 'exists')
    return value === false ? recordsTexts.filters.notGiven(label) : recordsTexts.filters.given(label);
  const said = field === undefined ? op : (opsOf(field).find((each) => each.op === op)?.label ?? op);
  return recordsTexts.filters.said(label, said, saidValue(field, value));
};

const filterTexts = recordsTexts.filters;

interface FilterDialogProps {
  /** Those that can be filtered by. */
  readonly fields: readonly ResourceField[];
  readonly onAdd: (filter: Filter) => void;
  readonly onClose: () => void;
}

const inputTypes = { text: 'text', number: 'text', time: 'date', date: 'date', boolean: 'text' } as const;

/** The dialog that adds a filter: a field, a comparison that its type has, and a value. */
const FilterDialog = ({ fields, onAdd, onClose }: FilterDialogProps) => {
  const [name, setName] = useState(fields[0]?.name ?? '');
  const field = fields.find((each) => each.name === name);
  const ops = field === undefined ? [] : opsOf(field);
  const [chosen, setOp] = useState('');
  const op = ops.some((each) => each.op === chosen) ? chosen : (ops[0]?.op ?? 'eq');
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const kind = field === undefined ? 'text' : kindOfField(field);
  const label = op === 'in' ? filterTexts.values : filterTexts.value;
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
      <Choice
        label={filterTexts.field}
        value={name}
        autoFocus
        options={fields.map((each) => [each.name, each.label])}
        onValue={setName}
      />
      <Choice
        label={filterTexts.comparison}
        value={op}
        options={ops.map((each) => [each.op, each.label])}
        onValue={setOp}
      />
      {isYesNo ? (
        <Choice
          label={label}
          value={text === 'false' ? 'false' : 'true'}
          options={[
            ['true', filterTexts.yes],
            ['false', filterTexts.no],
          ]}
          onValue={setText}
        />
      ) : (
        <TextInput
          label={label}
          type={inputTypes[kind]}
          value={text}
          {...(kind === 'number' ? { inputMode: 'decimal' as const } : {})}
          onValue={setText}
        />
      )}
    </FormDialog>
  );
};

interface RecordsHeaderProps {
  /** Of the search. */
  readonly input: RefObject<HTMLInputElement | null>;
  readonly resource: Resource;
  readonly search: RecordsSearch;
  readonly onChange: (search: RecordsSearch) => void;
}

/** Returns the orders of a resource with their names. */
const sortsOf = ({ fields }: Resource): readonly (readonly [string, string])[] => [
  ['', recordsTexts.byTitle],
  ['-updatedAt', recordsTexts.byChange],
  ...fields
    .filter(({ sort }) => sort)
    .flatMap(({ name, label }): (readonly [string, string])[] => [
      [name, recordsTexts.ascending(label)],
      [`-${name}`, recordsTexts.descending(label)],
    ]),
];

export const RecordsHeader = ({ resource, search, input, onChange }: RecordsHeaderProps) => {
  const { environment } = useSession();
  const [isAdding, setAdding] = useState(false);
  const change = useCallback(
    (part: RecordsSearch) => onChange(readRecordsSearch({ ...search, ...part })),
    [search, onChange],
  );
  const searchFor = useCallback((q: string) => change({ q }), [change]);
  const [words, setWords] = useTypedSearch(search.q ?? '', searchFor);
  const filters = readFilters(search.filters);
  const setFilters = (next: readonly Filter[]): void => change({ filters: writeFilters(next) });
  const canFilter = resource.fields.some(({ filter }) => filter);
  return (
    <header className="list-head">
      <div className="list-title">
        <Link className="soft" to="/env/$environment/records" params={{ environment }} search={{}}>
          {shellTexts.places.records}
        </Link>
        <h1 dir="auto">{resource.label}</h1>
      </div>
      <div className="list-filters">
        <SearchInput ref={input} words={words} onWords={setWords} />
        <Select
          className="wide"
          aria-label={recordsTexts.sort}
          value={search.sort ?? ''}
          options={sortsOf(resource)}
          onValue={(sort) => change({ sort })}
        />
        {canFilter && <Button onClick={() => setAdding(true)}>{recordsTexts.filter}</Button>}
      </div>
      {(filters === null || filters.length > 0) && (
        <div className="list-filters chips">
          {filters === null && (
            <button type="button" className="tag" onClick={() => change({ filters: '' })}>
              {recordsTexts.unreadableFilters}
            </button>
          )}
          {filters?.map((filter) => {
            const said = saidFilter(filter, resource.fields);
            return (
              <button
                type="button"
                className="tag"
                key={`${filter.field} ${filter.op}`}
                dir="auto"
                aria-label={recordsTexts.removeFilter(said)}
                onClick={() => setFilters(filters.filter((each) => each !== filter))}
              >
                {said} ×
              </button>
            );
          })}
        </div>
      )}
      {isAdding && (
        <FilterDialog
          fields={resource.fields.filter(({ filter }) => filter)}
          onAdd={(added) =>
            setFilters([...(filters ?? []).filter(({ field, op }) => field !== added.field || op !== added.op), added])
          }
          onClose={() => setAdding(false)}
        />
      )}
    </header>
  );
};
