/** The head of a list: what is shown, filters and search; all of it stands in the address. Used by InboxPage. */
import { forwardRef, useCallback, useState, type ReactNode } from 'react';
import type { Names } from '../content/names.ts';
import { Button } from '../ui/Button.tsx';
import { Options, Select, Tick } from '../ui/fields.tsx';
import { loadedLater } from '../ui/lazy.tsx';
import { SearchInput, useTypedSearch } from '../ui/SearchInput.tsx';
import { editedMembers, editedNames, shows, type ListSearch, searchOf } from './filter.ts';
import type { SaveViewProps } from './SaveView.tsx';
import { inboxTexts } from './texts.tsx';
import { type ItemListState } from './useItemList.ts';

interface ListHeaderProps extends Pick<SaveViewProps, 'inbox' | 'label'> {
  readonly title: string;
  readonly search: ListSearch;
  readonly list: ItemListState;
  readonly names: Names;
  /** What shows those that came since. */
  readonly fresh: ReactNode;
  readonly onChange: (next: ListSearch) => void;
}

const SaveView = loadedLater(async () => (await import('./SaveView.tsx')).SaveView);

const sorts = [
  ['', inboxTexts.sorts.newest],
  ['lastSeen', inboxTexts.sorts.quiet],
  ['due', inboxTexts.sorts.due],
  ['firstSeen', inboxTexts.sorts.oldest],
  ['-occurrences', inboxTexts.sorts.oftenest],
  ['-users', inboxTexts.sorts.users],
  ...editedNames.map((name): [string, string] => [editedMembers[name].sort, inboxTexts.edited[name].order]),
  ['title', inboxTexts.sorts.title],
] as const;

/** Returns the search with `part`; empty texts leave it. */
const withPart = (search: ListSearch, part: Readonly<Record<string, string>>): ListSearch =>
  Object.fromEntries(Object.entries({ ...search, ...part }).filter(([, value]) => value !== ''));

/** Returns a group of views for the menu, by their names in the address and labels. */
const group = (label: string, views: readonly (readonly [string, string])[]) =>
  views.length > 0 && (
    <optgroup label={label}>
      <Options of={views.map(([name, said]) => [`view:${name}`, said])} />
    </optgroup>
  );

export const ListHeader = forwardRef<HTMLInputElement, ListHeaderProps>(
  ({ title, search, list, names, fresh, onChange, ...place }, input) => {
    const { views, savedViews, view, listed: inboxes, total, query } = list;
    const [isSaving, setSaving] = useState(false);
    const open = savedViews.find(({ id }) => id === search.view);
    const saved = (isOwn: boolean) =>
      savedViews
        .filter(({ owner }) => (owner.id === names.me) === isOwn)
        .map(({ id, name }): [string, string] => [id, name]);
    const ofView = typeof view?.q === 'string' ? view.q : '';
    const searchFor = useCallback(
      (q: string) => {
        const { view: _view, q: _q, ...rest } = search;
        // Without its words a view is another list.
        const isLeft = q === '' && ofView !== '' && view !== undefined;
        onChange(isLeft ? { ...searchOf(view, inboxes), ...rest } : withPart(search, { q: q === ofView ? '' : q }));
      },
      [search, view, ofView, inboxes, onChange],
    );
    const [words, setWords] = useTypedSearch(search.q ?? ofView, searchFor);
    const shown = search.view === undefined ? `show:${search.show ?? 'open'}` : `view:${search.view}`;
    const isAll = search.view !== undefined || search.show === 'all';
    const counted = isAll ? null : inboxTexts.shows[search.show ?? 'open'];
    const choose = (value: string): void => {
      const [kind = '', ...name] = value.split(':');
      const { view: _view, show: _show, ...rest } = search;
      onChange(withPart(rest, { [kind]: name.join(':') }));
    };
    return (
      <header className="list-head">
        <div className="list-title">
          <h1>{title}</h1>
          <select aria-label={inboxTexts.show} value={shown} onChange={({ target }) => choose(target.value)}>
            <Options of={shows.map((show) => [`show:${show}`, inboxTexts.shows[show]])} />
            {group(
              inboxTexts.views,
              views.map(({ name, label }): [string, string] => [name, label]),
            )}
            {group(inboxTexts.ownViews, saved(true))}
            {group(inboxTexts.sharedViews, saved(false))}
          </select>
          {Object.keys(search).some((name) => name !== 'item') && (
            <Button tone="bare" onClick={() => setSaving(true)}>
              {open === undefined ? inboxTexts.saveView : inboxTexts.changeView}
            </Button>
          )}
          <span className="soft total" aria-live="polite" title={inboxTexts.totalAbout}>
            {total !== null && (total.isMinimum ? inboxTexts.moreThan : inboxTexts.total)(total.count, counted)}
          </span>
          <div className="announcement" role="status">
            {fresh}
          </div>
        </div>
        <div className="list-filters">
          <SearchInput ref={input} words={words} onWords={setWords} />
          {editedNames.map((name) => (
            <Select
              key={name}
              aria-label={inboxTexts.edited[name].label}
              value={search[name] ?? ''}
              options={[
                ['', search.view === undefined ? inboxTexts.edited[name].any : inboxTexts.ofView],
                ...[...new Set(inboxes.flatMap((inbox) => editedMembers[name].values(inbox).map(String)))].map(
                  (value): [string, string] => [value, value],
                ),
              ]}
              onValue={(value) => onChange(withPart(search, { [name]: value }))}
            />
          ))}
          <select
            aria-label={inboxTexts.assignee}
            value={search.assignee ?? ''}
            onChange={({ target }) => onChange(withPart(search, { assignee: target.value }))}
          >
            <option value="">{search.view === undefined ? inboxTexts.anyone : inboxTexts.ofView}</option>
            {names.me !== null && <option value="me">{inboxTexts.me}</option>}
            <option value="none">{inboxTexts.nobody}</option>
            <Options
              of={names.people
                .filter(({ id, canWork }) => canWork && id !== names.me)
                .map(({ id, name }) => [id, name])}
            />
          </select>
          <Select
            aria-label={inboxTexts.sort}
            value={search.sort ?? ''}
            options={sorts.map(([value, label]) => [
              value,
              value === '' && search.view !== undefined ? inboxTexts.ofView : label,
            ])}
            onValue={(sort) => onChange(withPart(search, { sort }))}
          />
          <Tick
            className="toggle"
            label={inboxTexts.overdue}
            isOn={search.overdue === '1'}
            onTick={(isOn) => onChange(withPart(search, { overdue: isOn ? '1' : '' }))}
          />
        </div>
        {search.tags !== undefined && (
          <div className="list-filters">
            {search.tags.split(',').map((tag) => (
              <button
                type="button"
                className="tag"
                key={tag}
                aria-label={inboxTexts.removeFilter(tag)}
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
            {...place}
            query={query}
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
