/** The filters of the audit log; all of them stand in the address. Used by AuditPage. */
import type { FormEvent } from 'react';
import { Button } from '../ui/Button.tsx';
import { fromLocalTime, toLocalTime } from '../ui/timeZone.ts';
import { actorKinds, readAuditSearch, type AuditSearch } from './filter.ts';
import { auditTexts } from './texts.tsx';

const texts = auditTexts.filters;

interface AuditFiltersProps {
  readonly search: AuditSearch;
  readonly onSearch: (search: AuditSearch) => void;
}

const timeOf = (text: string): string => (text === '' ? '' : String(fromLocalTime(text)));
const localTime = (at: string | undefined): string => (at === undefined ? '' : toLocalTime(Number(at)));

export const AuditFilters = ({ search, onSearch }: AuditFiltersProps) => {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const text = (name: string): string => {
      const value = data.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    onSearch(
      readAuditSearch({
        actor: text('actor'),
        actorKind: text('actorKind'),
        verb: text('verb'),
        target: text('target'),
        from: timeOf(text('from')),
        to: timeOf(text('to')),
      }),
    );
  };
  const isFiltered = Object.keys(search).length > 0;
  return (
    <form className="flag-form" aria-label={texts.title} key={JSON.stringify(search)} onSubmit={submit}>
      <label>
        {texts.who}
        <input name="actor" defaultValue={search.actor} maxLength={200} autoComplete="off" spellCheck={false} />
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
          placeholder="item.state"
          defaultValue={search.verb}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
        />
      </label>
      <label>
        {texts.target}
        <input name="target" defaultValue={search.target} maxLength={200} autoComplete="off" spellCheck={false} />
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
