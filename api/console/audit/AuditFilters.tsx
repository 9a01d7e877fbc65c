/** The filters of the audit log; all of them stand in the address. Who and what are given by name, or as the API calls them. Used by AuditPage. */
import { useId, useState, type FormEvent } from 'react';
import { Button } from '../ui/Button.tsx';
import { fromLocalTime, toLocalTime } from '../ui/timeZone.ts';
import { useTypedSearch } from '../ui/typedSearch.ts';
import type { AuditEntry } from '../wire/types.ts';
import { actorKinds, readAuditSearch, type AuditSearch } from './filter.ts';
import { auditTexts } from './texts.tsx';
import { useActorNames } from './useActorNames.ts';
import { useTargets } from './useTargets.ts';
import { verbTexts } from './verbTexts.ts';

const texts = auditTexts.filters;

interface AuditFiltersProps {
  readonly search: AuditSearch;
  /** Those that are shown: who did them can be chosen by name. */
  readonly entries: readonly AuditEntry[];
  readonly onSearch: (search: AuditSearch) => void;
}

const timeOf = (text: string): string => (text === '' ? '' : String(fromLocalTime(text)));
const localTime = (at: string | undefined): string => (at === undefined ? '' : toLocalTime(Number(at)));

const verbs = Object.entries(verbTexts).sort(([, a], [, b]) => a.localeCompare(b));

/** Returns the API's name of a verb that is given in the words of the list. */
const toVerb = (text: string): string =>
  verbs.find(([, words]) => words.toLowerCase() === text.toLowerCase())?.[0] ?? text;

export const AuditFilters = ({ search, entries, onSearch }: AuditFiltersProps) => {
  const actors = useActorNames(entries);
  const [searched, setSearched] = useState('');
  const [, setWords] = useTypedSearch(searched, setSearched);
  const targets = useTargets(search, searched);
  const [actorsId, verbsId, targetsId] = [useId(), useId(), useId()];
  const actor = actors.nameOf(search.actor);
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const text = (name: string): string => {
      const value = data.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    onSearch(
      readAuditSearch({
        actor: actors.idOf(text('actor')),
        actorKind: text('actorKind'),
        verb: toVerb(text('verb')),
        ...(await targets.of(text('target'))),
        from: timeOf(text('from')),
        to: timeOf(text('to')),
      }),
    );
  };
  const isFiltered = Object.keys(search).length > 0;
  return (
    <form
      className="flag-form"
      aria-label={texts.title}
      key={JSON.stringify([search, actor, targets.shown])}
      onSubmit={(event) => void submit(event)}
    >
      <label>
        {texts.who}
        <input
          name="actor"
          list={actorsId}
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
          placeholder="item.state"
          defaultValue={search.verb}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
        />
        <datalist id={verbsId}>
          {verbs.map(([verb, words]) => (
            <option key={verb} value={verb} label={words} />
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
    </form>
  );
};
