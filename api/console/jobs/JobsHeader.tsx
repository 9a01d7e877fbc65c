/** The head of the list of jobs: how many there are of each state, and the filters, which stand in the address. Used by JobsPage. */
import { useRef } from 'react';
import { type JobsSearch, readJobsSearch, type SearchProps } from '../shell/address.ts';
import { useKeys } from '../shell/keyboard.ts';
import { Button } from '../ui/Button.tsx';
import { Choice, TextInput } from '../ui/fields.tsx';
import { SearchInput, useTypedSearch } from '../ui/SearchInput.tsx';
import { dateAndClock } from '../ui/time.ts';
import type { JobCounts } from '../wire/types.ts';
import { jobTexts } from './texts.ts';

const texts = jobTexts.filters;

interface JobsHeaderProps extends SearchProps<JobsSearch> {
  /** By kind and state; undefined: not read yet. */
  readonly counts: JobCounts | undefined;
}

/** So many of a kind and state are counted; as many stand for more. */
const countedMost = (state: string): number => (state === 'failed' ? 100_000 : 10_000);

/** Returns how many jobs of the kinds shown are in a state, in words; null: none. */
const countText = (counts: JobCounts, [state, label]: readonly [string, string], kind: string | undefined) => {
  const numbers = Object.entries(counts)
    .filter(([name]) => kind === undefined || name === kind)
    .map(([, states]) => states[state] ?? 0);
  const total = numbers.reduce((sum, n) => sum + n, 0);
  if (total === 0) return null;
  const text = numbers.some((n) => n >= countedMost(state)) ? jobTexts.figureOrMore : jobTexts.figure;
  return text(total, label);
};

const Figures = ({ search, counts, onSearch }: JobsHeaderProps & { readonly counts: JobCounts }) => (
  <div className="verdict-buttons" role="group" aria-label={jobTexts.figures}>
    {Object.entries(jobTexts.state).flatMap(([state, label]) => {
      const text = countText(counts, [state, label], search.kind);
      const { state: chosen, since: _, ...rest } = search;
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

/** When they were given up: the time that is looked for, and others that count from now. */
const timesOf = (since: string | undefined): Option[] => [
  ['', texts.anyTime],
  ...(since === undefined ? [] : [[since, texts.from(dateAndClock(Number(since)))] as const]),
  ...texts.times.map(([hours, label]) => [String(-Number(hours)), label] as const),
];
const hourMs = 3_600_000;
const sinceOf = (value: string): string =>
  value.startsWith('-') ? String(Date.now() + Number(value) * hourMs) : value;

export const JobsHeader = ({ search, counts, onSearch }: JobsHeaderProps) => {
  const input = useRef<HTMLInputElement>(null);
  const change = (part: JobsSearch): void => onSearch(readJobsSearch({ ...search, ...part }));
  const [words, setWords] = useTypedSearch(search.about ?? '', (about) => change({ about }));
  const [error, setError] = useTypedSearch(search.error ?? '', (typed) => change({ error: typed }));
  useKeys({ '/': () => input.current?.focus() }, 'list');
  return (
    <>
      {counts !== undefined && <Figures search={search} counts={counts} onSearch={onSearch} />}
      <form className="flag-form" aria-label={texts.title} onSubmit={(event) => event.preventDefault()}>
        <Choice
          label={texts.state}
          value={search.state ?? ''}
          any={texts.any}
          options={Object.entries(jobTexts.state)}
          onValue={(state) => change({ state, since: '' })}
        />
        <Choice
          label={texts.kind}
          value={search.kind ?? ''}
          any={texts.any}
          options={Object.entries(jobTexts.kind)}
          onValue={(kind) => change({ kind })}
        />
        <Choice label={texts.order} value={search.sort ?? ''} options={orders} onValue={(sort) => change({ sort })} />
        <TextInput label={texts.error} autoComplete="on" value={error} maxLength={200} onValue={setError} />
        {search.state === 'failed' && (
          <Choice
            label={texts.since}
            value={search.since ?? ''}
            options={timesOf(search.since)}
            onValue={(value) => change({ since: sinceOf(value) })}
          />
        )}
        <SearchInput ref={input} words={words} onWords={setWords} label={texts.search} placeholder={texts.searchHint} />
        {Object.keys(search).length > 0 && <Button onClick={() => onSearch({})}>{texts.showAll}</Button>}
      </form>
    </>
  );
};
