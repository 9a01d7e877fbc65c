/** The head of a list: what is shown, filters and search; all of it stands in the address. Used by InboxPage. */
import { forwardRef, useCallback, useState } from 'react';
import type { Names } from '../content/names.ts';
import { Button } from '../ui/Button.tsx';
import { loadedLater } from '../ui/lazy.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';
import { count } from '../ui/time.ts';
import { useTypedSearch } from '../ui/typedSearch.ts';
import type { SavedView } from '../wire/savedViews.ts';
import type { View } from '../wire/types.ts';
import { shows, type ListSearch, type Show } from './filter.ts';
import type { SaveViewProps } from './saveViewProps.ts';

interface ListHeaderProps extends Pick<SaveViewProps, 'query' | 'inbox' | 'label'> {
  readonly title: string;
  readonly search: ListSearch;
  readonly views: readonly View[];
  readonly savedViews: readonly SavedView[];
  readonly names: Names;
  readonly total: { readonly count: number; readonly isMinimum: boolean } | null;
  readonly onChange: (next: ListSearch) => void;
}

const SaveView = loadedLater<SaveViewProps>(async () => (await import('./SaveView.tsx')).SaveView);

const showLabels: Readonly<Record<Show, string>> = {
  open: 'Open',
  waiting: 'Waiting',
  closed: 'Closed',
  snoozed: 'Snoozed',
  all: 'All',
};

const sorts = [
  ['', 'Newest'],
  ['lastSeen', 'Longest quiet'],
  ['due', 'Due first'],
  ['firstSeen', 'Oldest first'],
  ['-occurrences', 'Most often'],
  ['-users', 'Most users'],
  ['title', 'Title'],
] as const;

/** Returns the search with `part`; empty texts leave it. */
const withPart = (search: ListSearch, part: Readonly<Record<string, string>>): ListSearch =>
  Object.fromEntries(Object.entries({ ...search, ...part }).filter(([, value]) => value !== ''));

/** The option of a filter that the address lacks, which the view decides then. */
const ofView = 'As in the view';

/** Returns a group of views for the menu, by their names in the address and labels. */
const group = (label: string, views: readonly (readonly [string, string])[]) =>
  views.length > 0 && (
    <optgroup label={label}>
      {views.map(([name, said]) => (
        <option key={name} value={`view:${name}`}>
          {said}
        </option>
      ))}
    </optgroup>
  );

export const ListHeader = forwardRef<HTMLInputElement, ListHeaderProps>(
  ({ title, search, views, savedViews, names, total, onChange, ...list }, input) => {
    const [isSaving, setSaving] = useState(false);
    const open = savedViews.find(({ id }) => id === search.view);
    const saved = (isOwn: boolean) =>
      savedViews
        .filter(({ owner }) => (owner.id === names.me) === isOwn)
        .map(({ id, name }): [string, string] => [id, name]);
    const searchFor = useCallback((q: string) => onChange(withPart(search, { q })), [search, onChange]);
    const [words, setWords] = useTypedSearch(search.q ?? '', searchFor);
    const shown = search.view === undefined ? `show:${search.show ?? 'open'}` : `view:${search.view}`;
    const choose = (value: string): void => {
      const [kind = '', ...name] = value.split(':');
      const { view: _view, show: _show, ...rest } = search;
      onChange(withPart(rest, { [kind]: name.join(':') }));
    };
    return (
      <header className="list-head">
        <div className="list-title">
          <h1>{title}</h1>
          <select aria-label="Show" value={shown} onChange={({ target }) => choose(target.value)}>
            {shows.map((show) => (
              <option key={show} value={`show:${show}`}>
                {showLabels[show]}
              </option>
            ))}
            {group(
              'Views',
              views.map(({ name, label }): [string, string] => [name, label]),
            )}
            {group('Yours', saved(true))}
            {group('Shared', saved(false))}
          </select>
          {Object.keys(search).some((name) => name !== 'item') && (
            <Button tone="bare" onClick={() => setSaving(true)}>
              {open === undefined ? 'Save view' : 'View'}…
            </Button>
          )}
          <span className="soft total" aria-live="polite">
            {total !== null && `${total.isMinimum ? 'more than ' : ''}${count(total.count)}`}
          </span>
        </div>
        <div className="list-filters">
          <SearchInput ref={input} words={words} onWords={setWords} />
          <select
            aria-label="Assignee"
            value={search.assignee ?? ''}
            onChange={({ target }) => onChange(withPart(search, { assignee: target.value }))}
          >
            <option value="">{search.view === undefined ? 'Anyone' : ofView}</option>
            {names.me !== null && <option value="me">Me</option>}
            <option value="none">Nobody</option>
            {names.people
              .filter(({ id, canWork }) => canWork && id !== names.me)
              .map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
          </select>
          <select
            aria-label="Sort"
            value={search.sort ?? ''}
            onChange={({ target }) => onChange(withPart(search, { sort: target.value }))}
          >
            {sorts.map(([value, label]) => (
              <option key={value} value={value}>
                {value === '' && search.view !== undefined ? ofView : label}
              </option>
            ))}
          </select>
          <label className="toggle">
            <input
              type="checkbox"
              checked={search.overdue === '1'}
              onChange={({ target }) => onChange(withPart(search, { overdue: target.checked ? '1' : '' }))}
            />
            Overdue
          </label>
        </div>
        {search.tags !== undefined && (
          <div className="list-filters">
            {search.tags.split(',').map((tag) => (
              <button
                type="button"
                className="tag"
                key={tag}
                aria-label={`Remove the filter ${tag}`}
                onClick={() =>
                  onChange(
                    withPart(search, {
                      tags: (search.tags ?? '')
                        .split(',')
                        .filter((each) => each !== tag)
                        .join(','),
                    }),
                  )
                }
              >
                {tag} ×
              </button>
            ))}
          </div>
        )}
        {isSaving && (
          <SaveView
            {...list}
            open={open}
            onOpen={(view) =>
              onChange({
                ...(view === null ? {} : { view }),
                ...(search.item === undefined ? {} : { item: search.item }),
              })
            }
            onClose={() => setSaving(false)}
          />
        )}
      </header>
    );
  },
);
