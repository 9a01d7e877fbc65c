/** One record: its values, what the app shows of it, what it is related to, its items, its history, and what can be done. Used by ResourcePage. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState, type ComponentProps } from 'react';
import type { ActionRequest, ActionTarget } from '../actions/request.ts';
import { actionTexts } from '../actions/texts.tsx';
import { useActionSheet, ActionPicker } from '../actions/useActionSheet.tsx';
import { Blocks } from '../content/Blocks.tsx';
import { AuditLink, RecordLink, InboxItemLink } from '../content/links.tsx';
import { useNames } from '../content/names.ts';
import { TimelineEntry } from '../content/TimelineEntry.tsx';
import { Fields } from '../content/Value.tsx';
import { currencyIn, compactFields, toWords } from '../content/values.ts';
import { useKeys } from '../shell/keyboard.ts';
import { mayAny } from '../shell/rights.ts';
import { useSession, useRead } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Ago, Aside } from '../ui/marks.tsx';
import { Section, Back } from '../ui/PageParts.tsx';
import { Skeleton, Unread } from '../ui/Problem.tsx';
import { ArchivedNote, Row, Rows } from '../ui/Rows.tsx';
import { uiTexts } from '../ui/texts.tsx';
import { type RecordRef, actionsQuery, availableQuery } from '../wire/actionQueries.ts';
import { ApiError } from '../wire/apiError.ts';
import { readHistory, recordQuery, relatedQuery } from '../wire/appQueries.ts';
import { meQuery } from '../wire/queries.ts';
import type { AppRecord, Item, RecordPage, Resource } from '../wire/types.ts';
import { recordsTexts } from './texts.tsx';

/** Earlier entries stand on the page of the record. */
const entriesShown = 5;

/** Why a part of the page could not be read, on one line; nothing while it may still be. */
const Failed = ({ of: { error, refetch } }: Pick<ComponentProps<typeof Unread>, 'of'>) =>
  error !== null && (
    <p className="problem" role="alert">
      {error.message}{' '}
      <Button tone="bare" onClick={() => void refetch()}>
        {uiTexts.tryAgain}
      </Button>
    </p>
  );

/** Shows the newest entries of a related record's history, such as a refund of an order; they are read on request. */
const RelatedHistory = ({ of }: { readonly of: RecordRef }) => {
  const names = useNames();
  const read = useRead((http) => recordQuery(http, of));
  const { data: page } = read;
  if (page === undefined) return read.error === null ? <Skeleton rows={1} /> : <Failed of={read} />;
  const { history, historyCursor } = page;
  if (history.length === 0) return <p className="soft">{recordsTexts.noHistory}</p>;
  return (
    <div className="history">
      {history.slice(0, entriesShown).map((entry) => (
        <TimelineEntry key={entry.id} entry={entry} names={names} namesItem />
      ))}
      {(history.length > entriesShown || historyCursor !== null) && (
        <p className="soft">
          <RecordLink resource={of.resource} id={of.id} title={recordsTexts.wholeHistory} />
        </p>
      )}
    </div>
  );
};

interface RelatedProps {
  readonly of: RecordRef;
  readonly relation: Resource['relations'][number];
  readonly resources: readonly Resource[];
}

interface RelatedRecordProps {
  readonly record: AppRecord;
  readonly about: string;
  /** Of the record, as far as it is declared. */
  readonly declared: Resource | undefined;
}

const RelatedRecord = ({ record, about, declared }: RelatedRecordProps) => {
  const { resource, id, title } = record;
  const values = compactFields(record, declared);
  const [isOpen, setOpen] = useState(false);
  return (
    <Row>
      <RecordLink resource={resource} id={id} title={title} /> <Aside>{about}</Aside>{' '}
      <Button
        tone="bare"
        aria-label={recordsTexts.historyOf(title)}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {recordsTexts.history}
      </Button>
      {values !== '' && (
        <p className="soft" dir="auto">
          {values}
        </p>
      )}
      {isOpen && <RelatedHistory of={{ resource, id }} />}
    </Row>
  );
};

/** Records that one is related to, ten at a time, each with what was done to it. */
const Related = ({ of, relation: { name, label, resource }, resources }: RelatedProps) => {
  const { http } = useSession();
  const list = useInfiniteQuery({ ...relatedQuery(http, of, name) });
  const records = list.data?.pages.flatMap((page) => page.records);
  const title = label === name ? toWords(name) : label;
  const labelOf = (called: string): string => resources.find((each) => each.name === called)?.label ?? called;
  return (
    <Section title={title}>
      {records === undefined && <Failed of={list} />}
      {records?.length === 0 && !list.hasNextPage && <p className="soft">{recordsTexts.noneRelated}</p>}
      {records !== undefined && records.length > 0 && (
        <Rows className="links" hasMore={list.hasNextPage}>
          {records.map((record) => (
            <RelatedRecord
              key={`${record.resource}/${record.id}`}
              record={record}
              declared={resources.find(({ name: called }) => called === record.resource)}
              about={record.subtitle ?? (resource === null ? labelOf(record.resource) : '')}
            />
          ))}
        </Rows>
      )}
      {list.hasNextPage && (
        <Button className="more" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {recordsTexts.showMore}
        </Button>
      )}
    </Section>
  );
};

interface RecordActionsProps {
  readonly target: ActionTarget;
  readonly onRun: (request: ActionRequest) => void;
}

/** More stand in the list behind the button. */
const buttonsMost = 4;

/** The actions of a record as buttons, and why the others don't apply now. */
const RecordActions = ({ target, onRun }: RecordActionsProps) => {
  const { data: actions = [] } = useRead(actionsQuery);
  const { data: me } = useRead(meQuery);
  const { data: entry } = useRead((http) => ({ ...availableQuery(http, target), staleTime: 10_000 }));
  const [isChoosing, setChoosing] = useState(false);
  const mine = actions.filter(({ resource }) => resource === target.resource);
  const canRun = mine.length > 0;
  useKeys({ d: canRun ? () => setChoosing(true) : undefined }, 'actions');
  if (me !== undefined && !mayAny(me, 'action')) return <p className="soft">{uiTexts.readOnly}</p>;
  if (!canRun) return null;
  return (
    <div className="deeds">
      {entry?.actions.slice(0, buttonsMost).map(({ action, label, danger }) => (
        <Button
          key={action}
          className={danger === 'high' ? 'grave' : ''}
          onClick={() => onRun({ action, record: target.id, title: target.title })}
        >
          {label}
        </Button>
      ))}
      <Button tone="bare" onClick={() => setChoosing(true)} shortcut="d">
        {actionTexts.allActions}
      </Button>
      {isChoosing && (
        <ActionPicker targets={[target]} suggested={[]} item={null} onPick={onRun} onClose={() => setChoosing(false)} />
      )}
    </div>
  );
};

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
    const next = await notices.attempt(() => readHistory(http, of, from));
    if (next === null) return;
    // Pressed twice, it is read twice and shown once.
    setEarlier((now) =>
      now !== null && now.historyCursor !== from
        ? now
        : { ...next, history: [...(now?.history ?? []), ...next.history] },
    );
  };
  return (
    <Section className="history" title={recordsTexts.history}>
      {shown.length === 0 && <p className="soft">{recordsTexts.noHistory}</p>}
      {shown.map((entry) => (
        <TimelineEntry key={entry.id} entry={entry} names={names} namesItem />
      ))}
      {cursor !== null && <Button onClick={() => void readEarlier(cursor)}>{uiTexts.earlier.show.events}</Button>}
      <ArchivedNote before={(earlier ?? page).archivedBefore} />
    </Section>
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
  return (
    <Rows className="links">
      {items.map(({ id, inbox, title, state, lastSeen }) => (
        <Row key={id}>
          <InboxItemLink inbox={inbox} id={id} title={title} />{' '}
          <span className="soft">{recordsTexts.itemAbout(inbox, state, <Ago at={lastSeen} />)}</span>
        </Row>
      ))}
    </Rows>
  );
};

export const RecordDetail = ({ id, resource, resources, onBack }: RecordDetailProps) => {
  const ref = { resource: resource.name, id };
  const read = useRead((http) => recordQuery(http, ref));
  const { data: page, error } = read;
  const { open, sheet } = useActionSheet();
  const back = <Back onClick={onBack}>{uiTexts.back}</Back>;
  const isGone = error instanceof ApiError && error.status === 404;
  if (page === undefined || isGone)
    return (
      <>
        {back}
        <Unread of={read} rows={6} gone={recordsTexts.noRecord} />
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
        <Section title={recordsTexts.values}>
          <Fields fields={values} />
        </Section>
      )}
      {resource.relations.map((relation) => (
        <Related key={relation.name} of={ref} relation={relation} resources={resources} />
      ))}
      {items.length > 0 && (
        <Section title={recordsTexts.items}>
          <Items items={items} />
        </Section>
      )}
      <RecordHistory of={ref} page={page} />
      <AuditLink about={{ record: `${resource.name}:${id}` }} />
      {sheet}
    </article>
  );
};
