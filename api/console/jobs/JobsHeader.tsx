/** The head of the list of jobs: how many there are of each state, and the filters, which stand in the address. Used by JobsPage. */
import { useRef } from 'react';
import { useKeys } from '../shell/keyboard.ts';
import { Button } from '../ui/Button.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';
import { count } from '../ui/time.ts';
import { useTypedSearch } from '../ui/typedSearch.ts';
import type { JobCounts } from '../wire/types.ts';
import { readJobsSearch, type JobsSearch } from './search.ts';
import { jobKinds, jobStates } from './words.ts';

interface JobsHeaderProps {
  readonly search: JobsSearch;
  /** By kind and state; undefined: not read yet. */
  readonly counts: JobCounts | undefined;
  readonly onSearch: (search: JobsSearch) => void;
}

/** So many of a kind and state are counted; as many stand for more. */
const countedMost = 1_000;

/** Returns how many jobs of the kinds shown are in a state, in words; null: none. */
const countText = (counts: JobCounts, state: string, kind: string | undefined): string | null => {
  const numbers = Object.entries(counts)
    .filter(([name]) => kind === undefined || name === kind)
    .map(([, states]) => states[state] ?? 0);
  const total = numbers.reduce((sum, n) => sum + n, 0);
  if (total === 0) return null;
  return `${count(total)}${numbers.some((n) => n >= countedMost) ? '+' : ''}`;
};

const Figures = ({ search, counts, onSearch }: JobsHeaderProps & { readonly counts: JobCounts }) => (
  <div className="verdict-buttons" role="group" aria-label="How many there are">
    {Object.entries(jobStates).flatMap(([state, { label }]) => {
      const text = countText(counts, state, search.kind);
      const { state: chosen, ...rest } = search;
      if (text === null) return [];
      return [
        <Button
          key={state}
          aria-pressed={state === chosen}
          onClick={() => onSearch(state === chosen ? rest : { ...rest, state })}
        >
          {text} {label.toLowerCase()}
        </Button>,
      ];
    })}
  </div>
);

type Option = readonly [value: string, label: string];

const orders: readonly Option[] = [
  ['', 'oldest first'],
  ['-createdAt', 'newest first'],
];

interface ChoiceProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly options: readonly Option[];
  readonly onChoose: (value: string) => void;
}

const Choice = ({ label, value = '', options, onChoose }: ChoiceProps) => (
  <label>
    {label}
    <select value={value} onChange={({ target }) => onChoose(target.value)}>
      {options.map(([name, text]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ))}
    </select>
  </label>
);

export const JobsHeader = ({ search, counts, onSearch }: JobsHeaderProps) => {
  const input = useRef<HTMLInputElement>(null);
  const change = (part: JobsSearch): void => onSearch(readJobsSearch({ ...search, ...part }));
  const [words, setWords] = useTypedSearch(search.about ?? '', (about) => change({ about }));
  useKeys({ '/': () => input.current?.focus() }, 'list');
  return (
    <>
      {counts !== undefined && <Figures search={search} counts={counts} onSearch={onSearch} />}
      <form className="flag-form" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
        <Choice
          label="State"
          value={search.state}
          options={[['', 'any'], ...Object.entries(jobStates).map(([name, { label }]) => [name, label] as const)]}
          onChoose={(state) => change({ state })}
        />
        <Choice
          label="Kind"
          value={search.kind}
          options={[['', 'any'], ...Object.entries(jobKinds)]}
          onChoose={(kind) => change({ kind })}
        />
        <Choice label="Order" value={search.sort} options={orders} onChoose={(sort) => change({ sort })} />
        <SearchInput
          ref={input}
          words={words}
          onWords={setWords}
          label="Search by id"
          placeholder="Id of what it is about"
        />
        {Object.keys(search).length > 0 && <Button onClick={() => onSearch({})}>Show all</Button>}
      </form>
    </>
  );
};
