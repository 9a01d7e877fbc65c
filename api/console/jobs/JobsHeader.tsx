/** The head of the list of jobs: how many there are of each state, and the filters, which stand in the address. Used by JobsPage. */
import { useRef } from 'react';
import { useKeys } from '../shell/keyboard.ts';
import { Button } from '../ui/Button.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';
import { useTypedSearch } from '../ui/typedSearch.ts';
import type { JobCounts } from '../wire/types.ts';
import { readJobsSearch, type JobsSearch } from './search.ts';
import { jobTexts } from './texts.ts';

const texts = jobTexts.filters;

interface JobsHeaderProps {
  readonly search: JobsSearch;
  /** By kind and state; undefined: not read yet. */
  readonly counts: JobCounts | undefined;
  readonly onSearch: (search: JobsSearch) => void;
}

/** So many of a kind and state are counted; as many stand for more. */
const countedMost = 1_000;

/** Returns how many jobs of the kinds shown are in a state, in words; null: none. */
const countText = (counts: JobCounts, [state, label]: readonly [string, string], kind: string | undefined) => {
  const numbers = Object.entries(counts)
    .filter(([name]) => kind === undefined || name === kind)
    .map(([, states]) => states[state] ?? 0);
  const total = numbers.reduce((sum, n) => sum + n, 0);
  if (total === 0) return null;
  const text = numbers.some((n) => n >= countedMost) ? jobTexts.figureOrMore : jobTexts.figure;
  return text(total, label);
};

const Figures = ({ search, counts, onSearch }: JobsHeaderProps & { readonly counts: JobCounts }) => (
  <div className="verdict-buttons" role="group" aria-label={jobTexts.figures}>
    {Object.entries(jobTexts.state).flatMap(([state, label]) => {
      const text = countText(counts, [state, label], search.kind);
      const { state: chosen, ...rest } = search;
      if (text === null) return [];
      return [
        <Button
          key={state}
          aria-pressed={state === chosen}
          onClick={() => onSearch(state === chosen ? rest : { ...rest, state })}
        >
          {text}
        </Button>,
      ];
    })}
  </div>
);

type Option = readonly [value: string, label: string];

const orders: readonly Option[] = [
  ['', texts.oldestFirst],
  ['-createdAt', texts.newestFirst],
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
      <form className="flag-form" aria-label={texts.title} onSubmit={(event) => event.preventDefault()}>
        <Choice
          label={texts.state}
          value={search.state}
          options={[['', texts.any], ...Object.entries(jobTexts.state)]}
          onChoose={(state) => change({ state })}
        />
        <Choice
          label={texts.kind}
          value={search.kind}
          options={[['', texts.any], ...Object.entries(jobTexts.kind)]}
          onChoose={(kind) => change({ kind })}
        />
        <Choice label={texts.order} value={search.sort} options={orders} onChoose={(sort) => change({ sort })} />
        <SearchInput ref={input} words={words} onWords={setWords} label={texts.search} placeholder={texts.searchHint} />
        {Object.keys(search).length > 0 && <Button onClick={() => onSearch({})}>{texts.showAll}</Button>}
      </form>
    </>
  );
};
