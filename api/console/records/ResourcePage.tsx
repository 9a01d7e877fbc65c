/** The records of one resource: the list with its filters, beside the record that is open. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ComponentProps, type ReactNode, useCallback, useMemo, useRef } from 'react';
import { useRowKeys } from '../lists/NamedList.tsx';
import { readRecordsSearch, type SearchProps } from '../shell/address.ts';
import type { RecordsSearch } from '../shell/address.ts';
import { useSession, useRead } from '../shell/session.ts';
import { shellTexts } from '../shell/texts.tsx';
import { Ago } from '../ui/marks.tsx';
import { Empty, Problem, Skeleton, NothingOpen } from '../ui/Problem.tsx';
import { placeOf, VirtualRows } from '../ui/Rows.tsx';
import { recordKeys, resourcesQuery } from '../wire/actionQueries.ts';
import { ApiError } from '../wire/apiError.ts';
import { recordsQuery } from '../wire/appQueries.ts';
import type { AppRecord } from '../wire/types.ts';
import { RecordDetail } from './RecordDetail.tsx';
import { RecordsHeader } from './RecordsHeader.tsx';
import { recordsTexts } from './texts.tsx';

interface RecordListProps extends Pick<ComponentProps<typeof VirtualRows>, 'label' | 'openId' | 'hasMore' | 'onEnd'> {
  readonly records: readonly AppRecord[];
  readonly onOpen: (id: string) => void;
}

const elementId = (_id: string, index: number): string => `record-${String(index)}`;

/** The rows of a list of records. */
const RecordList = ({ records, onOpen, ...list }: RecordListProps) => (
  <VirtualRows
    ids={records.map(({ id }) => id)}
    total={list.hasMore ? null : records.length}
    elementId={elementId}
    {...list}
  >
    {(id, index, place, size) => {
      const record = records[index];
      return (
        record !== undefined && (
          <div
            key={id}
            className="row record-row"
            style={{ transform: place }}
            role="option"
            id={elementId(record.id, index)}
            aria-selected={record.id === list.openId}
            {...placeOf(index, size)}
            onClick={() => onOpen(record.id)}
          >
            <span className="row-title" dir="auto">
              {record.title}
            </span>
            <span className="row-when">{record.updatedAt !== null && <Ago at={record.updatedAt} />}</span>
            <span className="row-about">
              {record.subtitle !== null && <span dir="auto">{record.subtitle}</span>}
              <span className="mono">{record.id}</span>
            </span>
          </div>
        )
      );
    }}
  </VirtualRows>
);

interface ResourcePageProps extends SearchProps<RecordsSearch> {
  readonly resource: string;
}

const unseen = new ApiError(404, 'not_found', recordsTexts.noResource);

export const ResourcePage = ({ resource: name, search, onSearch }: ResourcePageProps) => {
  const { http, queries } = useSession();
  const { data: resources, error: resourcesError } = useRead(resourcesQuery);
  const resource = resources?.find((each) => each.name === name);
  const options = recordsQuery(http, name, search);
  const list = useInfiniteQuery({ ...options, enabled: resource !== undefined });
  const pages = list.data?.pages;
  const records = useMemo(() => pages?.flatMap((page) => page.records) ?? [], [pages]);
  const searchInput = useRef<HTMLInputElement>(null);
  const { record: openId } = search;
  const open = useCallback(
    (id: string | undefined) => onSearch(readRecordsSearch({ ...search, record: id }), true),
    [search, onSearch],
  );
  const { fetchNextPage, hasNextPage, isFetchingNextPage, refetch } = list;
  const readMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const change = useCallback((next: RecordsSearch) => onSearch(next, false), [onSearch]);
  const readAnew = (): void => {
    void queries.invalidateQueries({ queryKey: ['records', name] });
    if (openId !== undefined) void queries.invalidateQueries({ queryKey: recordKeys.one(name, openId) });
  };
  useRowKeys({
    list: JSON.stringify(options.queryKey),
    isReading: list.isPending,
    rows: records,
    openId,
    open,
    readAnew,
    search: () => searchInput.current?.focus(),
  });
  if (resources !== undefined && resource === undefined) return <Problem error={unseen} />;
  const error = list.error ?? resourcesError;
  let rows: ReactNode;
  if (error !== null && records.length === 0) rows = <Problem error={error} onRetry={() => void refetch()} />;
  else if (resource === undefined || list.data === undefined) rows = <Skeleton rows={8} />;
  else if (records.length === 0 && !hasNextPage)
    rows = (
      <Empty title={recordsTexts.none}>
        {search.q === undefined && search.filters === undefined ? recordsTexts.noneStored : recordsTexts.noneMatches}
      </Empty>
    );
  else
    rows = (
      <RecordList
        records={records}
        label={resource.label}
        openId={openId}
        hasMore={hasNextPage}
        onOpen={open}
        onEnd={readMore}
      />
    );
  return (
    <div className={`inbox ${openId === undefined ? 'no-item' : 'has-item'}`}>
      <section className="list" aria-label={shellTexts.places.records}>
        {resource === undefined ? (
          <header className="list-head" />
        ) : (
          <RecordsHeader input={searchInput} resource={resource} search={search} onChange={change} />
        )}
        {rows}
      </section>
      <div className="detail scroll">
        {openId === undefined || resource === undefined || resources === undefined ? (
          <NothingOpen hint={recordsTexts.openFirst} />
        ) : (
          <RecordDetail
            key={openId}
            id={openId}
            resource={resource}
            resources={resources}
            onBack={() => open(undefined)}
          />
        )}
      </div>
    </div>
  );
};
