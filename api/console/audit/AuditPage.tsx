/** The audit log: everything that was done and refused, filtered, with what it changed, and as a file. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useKeys } from '../shell/keyboard.ts';
import { useSession } from '../shell/session.ts';
import { ArchivedNote } from '../ui/ArchivedNote.tsx';
import { Button } from '../ui/Button.tsx';
import { ListTable } from '../ui/ListTable.tsx';
import { Empty, Problem, Skeleton } from '../ui/Problem.tsx';
import { ShowEarlier } from '../ui/ShowEarlier.tsx';
import { ShowNew } from '../ui/ShowNew.tsx';
import { auditQuery, readAuditPage } from '../wire/auditQueries.ts';
import { meQuery } from '../wire/queries.ts';
import type { AuditEntry } from '../wire/types.ts';
import { AuditFilters } from './AuditFilters.tsx';
import { AuditRow } from './AuditRow.tsx';
import { download, toCsv } from './csv.ts';
import type { AuditSearch } from './filter.ts';
import { useRequests } from './outcome.ts';
import { auditTexts } from './texts.tsx';
import { useNewEntries } from './useNewEntries.ts';
import { verbTexts } from './verbTexts.ts';

export interface AuditPageProps {
  readonly search: AuditSearch;
  readonly onSearch: (search: AuditSearch) => void;
}

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
      notices.show({ tone: 'failed', text: error instanceof Error ? error.message : String(error) });
    }
    setRead(null);
  };
  return { read, make };
};

export const AuditPage = ({ search, onSearch }: AuditPageProps) => {
  const { http } = useSession();
  const { data: me } = useQuery(meQuery(http));
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
      <header className="column-head">
        <div>
          <h1>{auditTexts.title}</h1>
          <p className="soft">{auditTexts.about}</p>
        </div>
        <div className="verdict-buttons">
          <Button onClick={readAnew} shortcut="l">
            {auditTexts.readAgain}
          </Button>
          <Button disabled={read !== null} onClick={() => void make()}>
            {read === null ? auditTexts.saveAsFile : auditTexts.reading(read)}
          </Button>
        </div>
      </header>
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
        <ListTable label={auditTexts.entries} headings={auditTexts.headings} deeds={auditTexts.more} isLedger>
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
