/** Records that one is related to, ten at a time, each with what was done to it. Used by RecordDetail. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { compactFields } from '../content/compactFields.ts';
import { RecordLink } from '../content/RecordLink.tsx';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { toWords } from '../ui/words.ts';
import type { RecordRef } from '../wire/actionQueries.ts';
import { relatedQuery } from '../wire/recordQueries.ts';
import type { AppRecord, Resource } from '../wire/types.ts';
import { RelatedHistory } from './RelatedHistory.tsx';
import { recordsTexts } from './texts.tsx';

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
    <li>
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
    </li>
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
        <ul className="links">
          {records.map((record) => (
            <RelatedRecord
              key={`${record.resource}/${record.id}`}
              record={record}
              declared={resources.find(({ name: called }) => called === record.resource)}
              about={record.subtitle ?? (resource === null ? labelOf(record.resource) : '')}
            />
          ))}
        </ul>
      )}
      {list.hasNextPage && (
        <Button className="more" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {recordsTexts.showMore}
        </Button>
      )}
    </section>
  );
};
