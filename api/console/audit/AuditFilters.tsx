/** The filters of the audit log; all of them stand in the address. Who and what are given by name, or as the API calls them; what is no name is answered with the nearest. Used by AuditPage. */
import { useRef, useState } from 'react';
import { type AuditSearch, actorKinds, readAuditSearch, type SearchProps } from '../shell/address.ts';
import { Button } from '../ui/Button.tsx';
import { Options, Suggested } from '../ui/fields.tsx';
import { useNow } from '../ui/marks.tsx';
import { useTypedSearch } from '../ui/SearchInput.tsx';
import { daysLaterAt, fromLocalTime, toLocalTime } from '../ui/wallTime.ts';
import type { AuditEntry } from '../wire/types.ts';
import { meantOf, useActorNames, useTargets } from './filterNames.ts';
import { auditTexts } from './texts.tsx';
import { verbTexts } from './verbTexts.ts';

interface Unknown {
  readonly field: 'actor' | 'verb';
  readonly typed: string;
  /** Whether several names fit, so that the filter does not say which. */
  readonly isSeveral: boolean;
  readonly offered: readonly string[];
}

interface FilterProblemProps {
  readonly unknown: Unknown;
  /** Takes one of the names that are offered. */
  readonly onTake: (field: Unknown['field'], name: string) => void;
}

/** The error of a filter whose text is no known name, with the names to choose from. */
const FilterProblem = ({ unknown: { field, typed, isSeveral, offered }, onTake }: FilterProblemProps) => {
  const { none, several, nearest } = auditTexts.filters.unknown[field];
  return (
    <div className="problem" role="alert">
      {isSeveral ? several(typed) : none(typed)} {!isSeveral && offered.length > 0 && nearest}{' '}
      {offered.map((name) => (
        <Button key={name} onClick={() => onTake(field, name)}>
          {name}
        </Button>
      ))}
    </div>
  );
};

type Range = Pick<AuditSearch, 'from' | 'to'>;

/** Returns the days before the moment, in the person's zone: each from its beginning; without an end when today is among them. */
const rangesAt = (now: number): Readonly<Record<'today' | 'yesterday' | 'lastDays', Range>> => {
  const day = (days: number): string => String(daysLaterAt(now, days, 0));
  return { today: { from: day(0) }, yesterday: { from: day(-1), to: day(0) }, lastDays: { from: day(-6) } };
};

const texts = auditTexts.filters;

interface AuditFiltersProps extends SearchProps<AuditSearch> {
  /** Those that are shown: who did them can be chosen by name. */
  readonly entries: readonly AuditEntry[];
}

const timeOf = (text: string): string => (text === '' ? '' : String(fromLocalTime(text)));
const localTime = (at: string | undefined): string => (at === undefined ? '' : toLocalTime(Number(at)));

const verbs = new Map(Object.entries(verbTexts).map(([verb, words]) => [words, verb]));
const verbNames = [...verbs.keys()].sort((a, b) => a.localeCompare(b));

/** Ids of principals, and the API's names of verbs, are taken as they are: those that are known are not all that there are. */
const [principalId, verbName] = [/^(?:agt|per|key)_[0-9a-z]{26}$/, /^[a-z]+[A-Za-z]*\.[a-z]+[A-Za-z]*$/];

/** Returns the filter that the text of a field is, or what it may mean where no single name fits it. */
const filterOf = (
  {
    field,
    typed,
    names,
  }: { readonly field: Unknown['field']; readonly typed: string; readonly names: readonly string[] },
  idOf: (name: string) => string | undefined,
): string | Unknown => {
  if (typed === '' || (field === 'actor' ? principalId : verbName).test(typed)) return typed;
  const meant = meantOf(names, typed);
  return meant.name === null ? { field, typed, ...meant } : (idOf(meant.name) ?? typed);
};

export const AuditFilters = ({ search, entries, onSearch }: AuditFiltersProps) => {
  const actors = useActorNames(entries);
  const [searched, setSearched] = useState('');
  const [, setWords] = useTypedSearch(searched, setSearched);
  const targets = useTargets(search, searched);
  const actor = actors.nameOf(search.actor);
  const form = useRef<HTMLFormElement>(null);
  const [unknown, setUnknown] = useState<Unknown | null>(null);
  const ranges = rangesAt(useNow());
  const isRange = ({ from, to }: AuditSearch): boolean => search.from === from && search.to === to;
  /** Searches for what the form has; `given` stands in the place of what is typed. */
  const submit = async (given: Readonly<Record<string, string>> = {}): Promise<void> => {
    if (form.current === null) return;
    const data = new FormData(form.current);
    const text = (name: string): string => {
      const value = given[name] ?? data.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    const who = filterOf({ field: 'actor', typed: text('actor'), names: actors.names }, actors.idOf);
    const did = filterOf({ field: 'verb', typed: text('verb'), names: verbNames }, (name) => verbs.get(name));
    if (typeof who !== 'string') return setUnknown(who);
    if (typeof did !== 'string') return setUnknown(did);
    setUnknown(null);
    onSearch(
      readAuditSearch({
        actor: who,
        actorKind: text('actorKind'),
        verb: did,
        ...(await targets.of(text('target'))),
        from: given['from'] ?? timeOf(text('from')),
        to: given['to'] ?? timeOf(text('to')),
      }),
    );
  };
  const take = (field: Unknown['field'], name: string): void => {
    const input = form.current?.elements.namedItem(field);
    if (input instanceof HTMLInputElement) input.value = name;
    void submit();
  };
  const isFiltered = Object.keys(search).length > 0;
  return (
    <form
      className="flag-form"
      aria-label={texts.title}
      ref={form}
      key={JSON.stringify([search, actor, targets.shown])}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Suggested
        label={texts.who}
        name="actor"
        options={actors.names}
        maxLength={200}
        aria-invalid={unknown?.field === 'actor'}
        defaultValue={actor}
      />
      <label>
        {texts.doneBy}
        <select name="actorKind" defaultValue={search.actorKind ?? ''}>
          <option value="">{texts.anybody}</option>
          <Options of={actorKinds.map((kind) => [kind, texts.kinds[kind]])} />
        </select>
      </label>
      <Suggested
        label={texts.verb}
        name="verb"
        options={verbNames}
        maxLength={200}
        nameOf={(words) => verbs.get(words)}
        placeholder={texts.verbHint}
        aria-invalid={unknown?.field === 'verb'}
        defaultValue={search.verb === undefined ? undefined : (verbTexts[search.verb] ?? search.verb)}
      />
      <Suggested
        label={texts.target}
        name="target"
        options={targets.names}
        maxLength={400}
        defaultValue={targets.shown}
        onChange={({ target }) => setWords(target.value)}
      />
      <label>
        {texts.from}
        <input name="from" type="datetime-local" defaultValue={localTime(search.from)} />
      </label>
      <label>
        {texts.to}
        <input name="to" type="datetime-local" defaultValue={localTime(search.to)} />
      </label>
      <Button type="submit">{texts.show}</Button>
      {isFiltered && <Button onClick={() => onSearch({})}>{texts.showAll}</Button>}
      {unknown !== null && <FilterProblem unknown={unknown} onTake={take} />}
      <div className="deeds" role="group" aria-label={texts.ranges}>
        {(['today', 'yesterday', 'lastDays'] as const).map((name) => (
          <Button
            key={name}
            aria-pressed={isRange(ranges[name])}
            onClick={() => void submit({ to: '', ...ranges[name] })}
          >
            {texts[name]}
          </Button>
        ))}
      </div>
    </form>
  );
};
