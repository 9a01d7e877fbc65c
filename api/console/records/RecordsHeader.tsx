/** The head of a list of records: search, order and filters; all of it stands in the address. Used by ResourcePage. */
import { Link } from '@tanstack/react-router';
import { forwardRef, useCallback, useState } from 'react';
import type { RecordsSearch } from '../shell/address.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Select } from '../ui/fields.tsx';
import { SearchInput, useTypedSearch } from '../ui/SearchInput.tsx';
import type { Resource } from '../wire/types.ts';
import { type Filter, FilterDialog, readFilters, saidFilter, writeFilters } from './FilterDialog.tsx';
import { recordsTexts } from './texts.tsx';

interface RecordsHeaderProps {
  readonly resource: Resource;
  readonly search: RecordsSearch;
  readonly onChange: (search: RecordsSearch) => void;
}

/** Returns the search with one member; an empty one leaves it. */
const withMember = (
  search: RecordsSearch,
  name: 'q' | 'sort' | 'filters',
  value: string | undefined,
): RecordsSearch => {
  const { [name]: _former, ...rest } = search;
  return value === undefined || value === '' ? rest : { ...rest, [name]: value };
};

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

export const RecordsHeader = forwardRef<HTMLInputElement, RecordsHeaderProps>(
  ({ resource, search, onChange }, input) => {
    const { environment } = useSession();
    const [isAdding, setAdding] = useState(false);
    const given = search.q ?? '';
    const searchFor = useCallback((q: string) => onChange(withMember(search, 'q', q)), [search, onChange]);
    const [words, setWords] = useTypedSearch(given, searchFor);
    const filters = readFilters(search.filters);
    const setFilters = (next: readonly Filter[]): void => onChange(withMember(search, 'filters', writeFilters(next)));
    const canFilter = resource.fields.some(({ filter }) => filter);
    return (
      <header className="list-head">
        <div className="list-title">
          <Link className="soft" to="/env/$environment/records" params={{ environment }} search={{}}>
            {recordsTexts.records}
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
            onValue={(sort) => onChange(withMember(search, 'sort', sort))}
          />
          {canFilter && <Button onClick={() => setAdding(true)}>{recordsTexts.filter}</Button>}
        </div>
        {(filters === null || filters.length > 0) && (
          <div className="list-filters chips">
            {filters === null && (
              <button type="button" className="tag" onClick={() => onChange(withMember(search, 'filters', undefined))}>
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
              setFilters([
                ...(filters ?? []).filter(({ field, op }) => field !== added.field || op !== added.op),
                added,
              ])
            }
            onClose={() => setAdding(false)}
          />
        )}
      </header>
    );
  },
);
