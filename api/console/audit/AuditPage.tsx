/** The audit log: everything that was done and refused, filtered, with what it changed, and as a file. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { legible } from '../content/values.ts';
import type { AuditSearch } from '../shell/address.ts';
import { type SearchProps } from '../shell/address.ts';
import { useKeys } from '../shell/keyboard.ts';
import { useSession, useRead } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Ago } from '../ui/marks.tsx';
import { ColumnHead, ListTable } from '../ui/PageParts.tsx';
import { Empty, Problem, Skeleton } from '../ui/Problem.tsx';
import { ArchivedNote, ShowEarlier, ShowNew } from '../ui/Rows.tsx';
import { uiTexts } from '../ui/texts.tsx';
import { dateAndClock } from '../ui/time.ts';
import { meQuery } from '../wire/queries.ts';
import { auditQuery, readAuditPage } from '../wire/settingsQueries.ts';
import type { AuditEntry } from '../wire/types.ts';
import { AuditFilters } from './AuditFilters.tsx';
import {
  ActionName,
  EntryBulk,
  TargetLink,
  TargetName,
  verbWords,
  EntryRow,
  type EntryMarksProps,
} from './entryParts.tsx';
import { useRequests, askedText } from './outcome.ts';
import { auditTexts } from './texts.tsx';
import { useNewEntries } from './useNewEntries.ts';
import { verbTexts } from './verbTexts.ts';

/** One entry of the audit log, which opens into what it changed. */
const AuditRow = ({ entry, requests, search, onSearch }: EntryMarksProps & SearchProps<AuditSearch>) => {
  const { actor, target, verb } = entry;
  const asked = askedText(entry, requests);
  const narrow = (part: AuditSearch): void => onSearch({ ...search, ...part });
  return (
    <EntryRow entry={entry} requests={requests} columns={7}>
      <td className="soft">
        <span className="exact">{dateAndClock(entry.at)}</span> <Ago at={entry.at} />
      </td>
      <td dir="auto">
        {actor.id === null ? (
          actor.name
        ) : (
          <Button tone="bare" title={auditTexts.onlyOf(actor.name)} onClick={() => narrow({ actor: actor.id ?? '' })}>
            {actor.name}
          </Button>
        )}
        <span className="soft"> {actor.role ?? actor.type}</span>
      </td>
      <td>
        <Button tone="bare" title={auditTexts.onlyVerb(verb)} onClick={() => narrow({ verb })}>
          {verbWords(verb)}
        </Button>{' '}
        <ActionName entry={entry} /> {asked !== null && <span dir="auto">{legible(asked)}</span>}{' '}
        <EntryBulk entry={entry} requests={requests} />
      </td>
      <td dir="auto">
        <TargetLink target={target} />{' '}
        {target.id !== null && (
          <Button tone="bare" title={auditTexts.onlyTo(target.id)} onClick={() => narrow({ target: target.id ?? '' })}>
            <TargetName target={target} />
          </Button>
        )}
      </td>
    </EntryRow>
  );
};

const columns: readonly (readonly [string, (entry: AuditEntry) => unknown])[] = [
  ['id', ({ id }) => id],
  ['at', ({ at }) => new Date(at).toISOString()],
  ['actor_type', ({ actor }) => actor.type],
  ['actor_id', ({ actor }) => actor.id],
  ['actor_name', ({ actor }) => actor.name],
  ['actor_role', ({ actor }) => actor.role],
  ['verb', ({ verb }) => verb],
  ['target_type', ({ target }) => target.type],
  ['target_id', ({ target }) => target.id],
  ['outcome', ({ outcome }) => outcome],
  ['count', ({ count }) => count],
  ['reason', ({ reason }) => reason],
  ['before', ({ before }) => before],
  ['after', ({ after }) => after],
  ['request_id', ({ requestId }) => requestId],
  ['address', ({ address }) => address],
];

/** Returns a value as one cell (RFC 4180). A text that a spreadsheet would run as a formula begins with an apostrophe. */
const cell = (value: unknown): string => {
  const text =
    value === null || value === undefined
      ? ''
      : typeof value === 'string'
        ? value
        : typeof value === 'number'
          ? String(value)
          : JSON.stringify(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const toCsv = (entries: readonly AuditEntry[]): string =>
  [columns.map(([name]) => name), ...entries.map((entry) => columns.map(([, of]) => cell(of(entry))))]
    .map((row) => `${row.join(',')}\r\n`)
    .join('');

/** Gives a text to the browser as a file. */
const download = (name: string, text: string): void => {
  // The mark at the beginning tells spreadsheets that it is UTF-8.
  const url = URL.createObjectURL(new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(url), 10_000);
};

/** A file has at most so many entries; a narrower time gives the others. */
const fileMost = 20_000;

const none: readonly AuditEntry[] = [];

const noneText = ({ target, record, verb }: AuditSearch): string => {
  if (record !== undefined) return auditTexts.noneOfRecord;
  if (target !== undefined) return auditTexts.noneOfTarget;
  return verb === undefined || verb in verbTexts ? auditTexts.noneMatches : auditTexts.noneOfVerb;
};

const useFile = (search: AuditSearch) => {
  const { http, environment, notices } = useSession();
  const [read, setRead] = useState<number | null>(null);
  const make = async (): Promise<void> => {
    const entries: AuditEntry[] = [];
    let cursor: string | null = null;
    setRead(0);
    try {
      do {
        const page: Awaited<ReturnType<typeof readAuditPage>> = await readAuditPage(http, search, cursor);
        entries.push(...page.entries);
        ({ cursor } = page);
        setRead(entries.length);
      } while (cursor !== null && entries.length < fileMost);
      download(`audit-${environment}-${new Date().toISOString().slice(0, 10)}.csv`, toCsv(entries));
      notices.show({
        tone: cursor === null ? 'done' : 'failed',
        text: (cursor === null ? auditTexts.fileHasAll : auditTexts.fileHasNewest)(entries.length),
      });
    } catch (error) {
      notices.failed(error);
    }
    setRead(null);
  };
  return { read, make };
};

export const AuditPage = ({ search, onSearch }: SearchProps<AuditSearch>) => {
  const { http } = useSession();
  const { data: me } = useRead(meQuery);
  const [since] = useState(me?.now ?? 0);
  const options = auditQuery(http, search);
  const list = useInfiniteQuery(options);
  const { data, error, refetch } = list;
  const { read, make } = useFile(search);
  const entries = useMemo(() => data?.pages.flatMap((page) => page.entries), [data]);
  const { newCount, readAnew } = useNewEntries({ queryKey: options.queryKey, entries, query: search, since });
  const requests = useRequests(entries);
  useKeys({ l: readAnew });
  if (error !== null && entries === undefined)
    return <Problem isPage error={error} needs="audit: see" onRetry={() => void refetch()} />;
  return (
    <div className="column wide home">
      <ColumnHead title={auditTexts.title} about={auditTexts.about}>
        <div className="verdict-buttons">
          <Button onClick={readAnew} shortcut="l">
            {uiTexts.readAgain}
          </Button>
          <Button disabled={read !== null} onClick={() => void make()}>
            {read === null ? auditTexts.saveAsFile : auditTexts.reading(read)}
          </Button>
        </div>
      </ColumnHead>
      <AuditFilters search={search} entries={entries ?? none} onSearch={onSearch} />
      <div className="ledger-head">
        <h2>{auditTexts.entries}</h2>
        <span className="soft" role="status">
          <ShowNew newCount={newCount} onShow={readAnew} />
        </span>
      </div>
      {entries === undefined && <Skeleton rows={8} />}
      {entries?.length === 0 && <Empty title={auditTexts.none}>{noneText(search)}</Empty>}
      {entries !== undefined && entries.length > 0 && (
        <ListTable
          label={auditTexts.entries}
          headings={auditTexts.headings}
          deeds={auditTexts.details}
          hasMore={list.hasNextPage}
          isLedger
        >
          {entries.map((entry) => (
            <AuditRow key={entry.id} entry={entry} requests={requests} search={search} onSearch={onSearch} />
          ))}
        </ListTable>
      )}
      <ShowEarlier what="entries" list={list} />
      <ArchivedNote before={list.data?.pages.at(-1)?.archivedBefore} />
    </div>
  );
};
