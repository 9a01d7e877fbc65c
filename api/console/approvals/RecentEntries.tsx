/** The recent entries of a request's item: those since the request, the newest message, and the newest notes. Used by Decision. */
import { queryOptions } from '@tanstack/react-query';
import { useNames } from '../content/names.ts';
import { TimelineEntry, broughtBy, shortenedData } from '../content/TimelineEntry.tsx';
import { Fields } from '../content/Value.tsx';
import { isObject } from '../content/values.ts';
import { PlainText } from '../content/Written.tsx';
import { useRead } from '../shell/session.ts';
import { Ago } from '../ui/marks.tsx';
import { Section } from '../ui/PageParts.tsx';
import { Unread } from '../ui/Problem.tsx';
import type { Http } from '../wire/http.ts';
import { keys } from '../wire/queries.ts';
import { read, type PageOf } from '../wire/reading.ts';
import type { Approval, Entry, Occurrence } from '../wire/types.ts';
import { requestTexts } from './texts.tsx';

/** Entries that are read: those since a request are few. */
const entriesMost = 50;

/** Read anew with each entry that a live message brings. */
const recentQuery = (http: Http, item: string) =>
  queryOptions({
    queryKey: keys.recent(item),
    queryFn: async ({ signal }) => {
      const path = `/items/${encodeURIComponent(item)}`;
      const [timeline, { occurrences }] = await Promise.all([
        http.call<PageOf<'entries', Entry>>('GET', `${path}/timeline`, { query: { limit: entriesMost }, signal }),
        read<{ occurrences: Occurrence[] }>(http, `${path}/occurrences`, { limit: 1 }, signal),
      ]);
      const { entries, cursor } = timeline.body;
      // The offset has it read again where a stream begins later.
      return { entries, isMore: cursor !== null, occurrence: occurrences[0] ?? null, offset: timeline.offset };
    },
    staleTime: 10_000,
  });

const texts = requestTexts.item;

/** Characters of a text that are shown; the item has the whole. */
const charactersMost = 500;

/** Entries since the request, notes before it, and members of a message that are shown. */
const [sinceMost, notesMost, membersMost] = [5, 2, 6];

const shortened = (text: string): string =>
  text.length > charactersMost ? texts.cut(text.slice(0, charactersMost)) : text;

/** Returns an entry with no more than the beginning of what was written. */
const excerptOf = (entry: Entry): Entry => {
  const { text, occurrence }: { readonly text?: unknown; readonly occurrence?: unknown } = entry.data;
  return {
    ...entry,
    data: {
      ...entry.data,
      ...(typeof text === 'string' ? { text: shortened(text) } : {}),
      ...(isObject(occurrence)
        ? { occurrence: { ...occurrence, data: shortenedData(occurrence['data'], shortened) } }
        : {}),
    },
  };
};

/** Returns whether an entry tells of the request itself. */
const isOfRequest = ({ id, run }: Approval, { type, data }: Entry): boolean => {
  const of: { readonly approval?: unknown; readonly run?: unknown } = data;
  return (type === 'approval' && of.approval === id) || (type === 'action' && run !== null && of.run === run);
};

const Entries = ({ entries }: { readonly entries: readonly Entry[] }) => {
  const names = useNames();
  return entries.map((entry) => <TimelineEntry key={entry.id} entry={excerptOf(entry)} names={names} />);
};

interface SinceProps {
  /** The newest first. */
  readonly entries: readonly Entry[];
  /** Whether there may be earlier ones. */
  readonly isMore: boolean;
}

const Since = ({ entries, isMore }: SinceProps) => {
  const rest = entries.length - sinceMost;
  return (
    <section className="since">
      <p role="status">
        <strong>{isMore ? texts.sinceMany(entries.length) : texts.since(entries.length)}</strong>
      </p>
      {rest > 0 && <p className="soft">{texts.earlier(rest)}</p>}
      <Entries entries={entries.slice(0, sinceMost).toReversed()} />
    </section>
  );
};

/** The newest report of the item: what the customer wrote, or its first members where nobody wrote anything. */
const Message = ({ occurrence: { at, data } }: { readonly occurrence: Occurrence }) => {
  const { text, rest } = broughtBy(data);
  const members = rest.slice(0, membersMost).map(([label, value]) => ({ label, value }));
  if (text === null && members.length === 0) return null;
  const title = text === null ? texts.report : texts.message;
  return (
    <section aria-label={title}>
      <h2>
        {title}{' '}
        <span className="soft">
          {'· '}
          <Ago isInSentence at={at} />
        </span>
      </h2>
      <div className="written">
        {text === null ? <Fields fields={members} /> : <PlainText text={shortened(text)} />}
      </div>
    </section>
  );
};

const isWritten = ({ type }: Entry): boolean => type === 'note' || type === 'reply';

const Recent = ({ approval, item }: { readonly approval: Approval; readonly item: string }) => {
  const read = useRead((http) => recentQuery(http, item));
  if (read.data === undefined) return <Unread of={read} rows={3} />;
  const { entries, isMore, occurrence } = read.data;
  const others = entries.filter((entry) => !isOfRequest(approval, entry));
  const since = others.filter(({ at }) => at > approval.requestedAt);
  const notes = others.filter((entry) => !since.includes(entry) && isWritten(entry)).slice(0, notesMost);
  return (
    <>
      {since.length > 0 && <Since entries={since} isMore={isMore && since.length === others.length} />}
      {occurrence !== null &&
        !(occurrence.at > approval.requestedAt && since.some(({ type }) => type === 'occurred')) && (
          <Message occurrence={occurrence} />
        )}
      {notes.length > 0 && (
        <Section title={texts.notes}>
          <Entries entries={notes.toReversed()} />
        </Section>
      )}
    </>
  );
};

export const RecentEntries = ({ approval }: { readonly approval: Approval }) => {
  const { item, kind, status } = approval;
  return item !== null && kind !== 'bulk' && status === 'pending' && <Recent approval={approval} item={item} />;
};
