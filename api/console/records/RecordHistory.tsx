/** The history of a record and of its items, newest first; earlier entries are read on request. Used by RecordDetail. */
import { useState } from 'react';
import { useNames } from '../content/names.ts';
import { TimelineEntry } from '../content/TimelineEntry.tsx';
import { useSession } from '../shell/session.ts';
import { ArchivedNote } from '../ui/ArchivedNote.tsx';
import { Button } from '../ui/Button.tsx';
import type { RecordRef } from '../wire/actionQueries.ts';
import { readHistory } from '../wire/recordQueries.ts';
import type { RecordPage } from '../wire/types.ts';
import { recordsTexts } from './texts.tsx';

interface RecordHistoryProps {
  readonly of: RecordRef;
  readonly page: RecordPage;
}

export const RecordHistory = ({ of, page }: RecordHistoryProps) => {
  const { http, notices } = useSession();
  const names = useNames();
  /** Entries read beyond the first page; they stay when that is read anew. */
  const [earlier, setEarlier] = useState<Awaited<ReturnType<typeof readHistory>> | null>(null);
  const shown = [
    ...page.history,
    ...(earlier?.history ?? []).filter(({ id }) => !page.history.some((entry) => entry.id === id)),
  ];
  const cursor = earlier === null ? page.historyCursor : earlier.historyCursor;
  const readEarlier = async (from: string): Promise<void> => {
    try {
      const next = await readHistory(http, of, from);
      // Pressed twice, it is read twice and shown once.
      setEarlier((now) =>
        now !== null && now.historyCursor !== from
          ? now
          : { ...next, history: [...(now?.history ?? []), ...next.history] },
      );
    } catch (error) {
      notices.show({ tone: 'failed', text: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <section className="history" aria-label={recordsTexts.history}>
      <h2>{recordsTexts.history}</h2>
      {shown.length === 0 && <p className="soft">{recordsTexts.noHistory}</p>}
      {shown.map((entry) => (
        <TimelineEntry key={entry.id} entry={entry} names={names} namesItem />
      ))}
      {cursor !== null && <Button onClick={() => void readEarlier(cursor)}>{recordsTexts.showEarlier}</Button>}
      <ArchivedNote before={(earlier ?? page).archivedBefore} />
    </section>
  );
};
