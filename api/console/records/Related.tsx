/** Records that one is related to, ten at a time, each with what was done to it. Used by RecordDetail. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { RecordLink } from '../content/links.tsx';
import { useNames } from '../content/names.ts';
import { TimelineEntry } from '../content/TimelineEntry.tsx';
import { compactFields } from '../content/values.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Skeleton } from '../ui/Problem.tsx';
import { Row, Rows } from '../ui/Rows.tsx';
import { toWords } from '../ui/words.ts';
import type { RecordRef } from '../wire/actionQueries.ts';
import { recordQuery, relatedQuery } from '../wire/recordQueries.ts';
import type { AppRecord, Resource } from '../wire/types.ts';
import { recordsTexts } from './texts.tsx';

/** Earlier entries stand on the page of the record. */
const entriesShown = 5;

/** Shows the newest entries of a related record's history, such as a refund of an order; they are read on request. */
const RelatedHistory = ({ of }: { readonly of: RecordRef }) => {
  const { http } = useSession();
  const names = useNames();
  const { data: page, error, refetch } = useQuery(recordQuery(http, of));
  if (page === undefined)
    return error === null ? (
      <Skeleton rows={1} />
    ) : (
      <p className="problem" role="alert">
        {error.message}{' '}
        <Button tone="bare" onClick={() => void refetch()}>
          {recordsTexts.tryAgain}
        </Button>
      </p>
    );
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
      <RecordLink resource={resource} id={id} title={title} />{' '}
      <span className="soft" dir="auto">
        {about}
      </span>{' '}
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

export const Related = ({ of, relation: { name, label, resource }, resources }: RelatedProps) => {
  const { http } = useSession();
  const list = useInfiniteQuery({ ...relatedQuery(http, of, name) });
  const records = list.data?.pages.flatMap((page) => page.records);
  const title = label === name ? toWords(name) : label;
  const labelOf = (called: string): string => resources.find((each) => each.name === called)?.label ?? called;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {list.error !== null && records === undefined && (
        <p className="problem" role="alert">
          {list.error.message}{' '}
          <Button tone="bare" onClick={() => void list.refetch()}>
            {recordsTexts.tryAgain}
          </Button>
        </p>
      )}
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
    </section>
  );
};
