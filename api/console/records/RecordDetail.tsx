/** One record: its values, what the app shows of it, what it is related to, its items, its history, and what can be done. Used by ResourcePage. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { RecordActions } from '../actions/RecordActions.tsx';
import { useActionSheet } from '../actions/useActionSheet.tsx';
import { Blocks } from '../content/Blocks.tsx';
import { AuditLink } from '../content/links.tsx';
import { useNames } from '../content/names.ts';
import { TimelineEntry } from '../content/TimelineEntry.tsx';
import { Fields } from '../content/Value.tsx';
import { currencyIn } from '../content/values.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { ArchivedNote } from '../ui/ListEnds.tsx';
import { Problem, Skeleton } from '../ui/Problem.tsx';
import { Row, Rows } from '../ui/Rows.tsx';
import { Ago } from '../ui/Time.tsx';
import { toWords } from '../ui/words.ts';
import type { RecordRef } from '../wire/actionQueries.ts';
import { ApiError, messageOf } from '../wire/apiError.ts';
import { readHistory, recordQuery } from '../wire/recordQueries.ts';
import type { AppRecord, Item, RecordPage, Resource } from '../wire/types.ts';
import { Related } from './Related.tsx';
import { recordsTexts } from './texts.tsx';

interface RecordHistoryProps {
  readonly of: RecordRef;
  readonly page: RecordPage;
}

/** The history of a record and of its items, newest first; earlier entries are read on request. */
const RecordHistory = ({ of, page }: RecordHistoryProps) => {
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
      notices.show({ tone: 'failed', text: messageOf(error) });
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

interface RecordDetailProps {
  readonly id: string;
  readonly resource: Resource;
  readonly resources: readonly Resource[];
  readonly onBack: () => void;
}

/** Returns the values of a record: declared ones in their order, then the others. */
const valuesOf = ({ fields }: AppRecord, resource: Resource) => [
  ...resource.fields
    .filter(({ name }) => Object.hasOwn(fields, name))
    .map(({ name, label, type, currency }) => ({
      label,
      type,
      value: fields[name],
      currency: currencyIn(currency, fields),
    })),
  ...Object.entries(fields)
    .filter(([name]) => !resource.fields.some((field) => field.name === name))
    .map(([name, value]) => ({ label: toWords(name), type: null, value })),
];

const Items = ({ items }: { readonly items: readonly Item[] }) => {
  const { environment } = useSession();
  return (
    <Rows className="links">
      {items.map(({ id, inbox, title, state, lastSeen }) => (
        <Row key={id}>
          <Link
            to="/env/$environment/inbox/$inbox"
            params={{ environment, inbox }}
            search={{ show: 'all', item: id }}
            dir="auto"
          >
            {title}
          </Link>{' '}
          <span className="soft">{recordsTexts.itemAbout(inbox, state, <Ago at={lastSeen} />)}</span>
        </Row>
      ))}
    </Rows>
  );
};

export const RecordDetail = ({ id, resource, resources, onBack }: RecordDetailProps) => {
  const { http } = useSession();
  const ref = { resource: resource.name, id };
  const { data: page, error, refetch } = useQuery({ ...recordQuery(http, ref) });
  const { open, sheet } = useActionSheet();
  const back = (
    <Button className="back" onClick={onBack}>
      {recordsTexts.back}
    </Button>
  );
  const isGone = error instanceof ApiError && error.status === 404;
  if (page === undefined || isGone)
    return (
      <>
        {back}
        {error === null ? (
          <Skeleton rows={6} />
        ) : (
          <Problem error={error} gone={recordsTexts.noRecord} onRetry={() => void refetch()} />
        )}
      </>
    );
  const { record, blocks, items } = page;
  const values = valuesOf(record, resource);
  return (
    <article className="decision record">
      {back}
      <header>
        <h1 dir="auto">{record.title}</h1>
        <p className="soft">
          {recordsTexts.about({
            subtitle: record.subtitle === null ? null : <span dir="auto">{record.subtitle}</span>,
            id: <span className="mono">{record.id}</span>,
            changed: record.updatedAt === null ? null : <Ago isInSentence at={record.updatedAt} />,
          })}
        </p>
      </header>
      <RecordActions target={{ ...ref, title: record.title }} onRun={open} />
      <Blocks blocks={blocks} onAction={({ action, record: of, input }) => open({ action, record: of, input })} />
      {values.length > 0 && (
        <section aria-label={recordsTexts.values}>
          <h2>{recordsTexts.values}</h2>
          <Fields fields={values} />
        </section>
      )}
      {resource.relations.map((relation) => (
        <Related key={relation.name} of={ref} relation={relation} resources={resources} />
      ))}
      {items.length > 0 && (
        <section aria-label={recordsTexts.items}>
          <h2>{recordsTexts.items}</h2>
          <Items items={items} />
        </section>
      )}
      <RecordHistory of={ref} page={page} />
      <AuditLink about={{ record: `${resource.name}:${id}` }} />
      {sheet}
    </article>
  );
};
