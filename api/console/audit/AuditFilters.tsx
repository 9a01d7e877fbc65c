/** The filters of the audit log; all of them stand in the address. Who and what are given by name, or as the API calls them. Used by AuditPage. */
import { useId, useRef, useState } from 'react';
import { Button } from '../ui/Button.tsx';
import { useNow } from '../ui/clock.ts';
import { fromLocalTime, toLocalTime } from '../ui/timeZone.ts';
import { useTypedSearch } from '../ui/typedSearch.ts';
import type { AuditEntry } from '../wire/types.ts';
import { meantOf } from './choices.ts';
import { actorKinds, readAuditSearch, type AuditSearch } from './filter.ts';
import { FilterProblem, type Unknown } from './FilterProblem.tsx';
import { filterTexts } from './filterTexts.ts';
import { rangesAt } from './ranges.ts';
import { useActorNames } from './useActorNames.ts';
import { useTargets } from './useTargets.ts';
import { verbTexts } from './verbTexts.ts';

const texts = filterTexts;

interface AuditFiltersProps {
  readonly search: AuditSearch;
  /** Those that are shown: who did them can be chosen by name. */
  readonly entries: readonly AuditEntry[];
  readonly onSearch: (search: AuditSearch) => void;
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
  const [actorsId, verbsId, targetsId] = [useId(), useId(), useId()];
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
      <label>
        {texts.who}
        <input
          name="actor"
          list={actorsId}
          aria-invalid={unknown?.field === 'actor'}
          defaultValue={actor}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
        />
        <datalist id={actorsId}>
          {actors.names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      <label>
        {texts.doneBy}
        <select name="actorKind" defaultValue={search.actorKind ?? ''}>
          <option value="">{texts.anybody}</option>
          {actorKinds.map((kind) => (
            <option key={kind} value={kind}>
              {texts.kinds[kind]}
            </option>
          ))}
        </select>
      </label>
      <label>
        {texts.verb}
        <input
          name="verb"
          list={verbsId}
          placeholder={texts.verbHint}
          aria-invalid={unknown?.field === 'verb'}
          defaultValue={search.verb === undefined ? undefined : (verbTexts[search.verb] ?? search.verb)}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
        />
        <datalist id={verbsId}>
          {verbNames.map((words) => (
            <option key={words} value={words} label={verbs.get(words)} />
          ))}
        </datalist>
      </label>
      <label>
        {texts.target}
        <input
          name="target"
          list={targetsId}
          defaultValue={targets.shown}
          maxLength={400}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setWords(target.value)}
        />
        <datalist id={targetsId}>
          {targets.names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
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
