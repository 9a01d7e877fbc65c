/** Records that one is related to, ten at a time. Used by RecordDetail. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { RecordLink } from '../content/RecordLink.tsx';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { toWords } from '../ui/words.ts';
import type { RecordRef } from '../wire/actionQueries.ts';
import { relatedQuery } from '../wire/recordQueries.ts';
import type { Resource } from '../wire/types.ts';
import { recordsTexts } from './texts.tsx';

interface RelatedProps {
  readonly of: RecordRef;
  readonly relation: Resource['relations'][number];
  readonly resources: readonly Resource[];
}

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
            <li key={`${record.resource}/${record.id}`}>
              <RecordLink resource={record.resource} id={record.id} title={record.title} />{' '}
              <span className="soft" dir="auto">
                {record.subtitle ?? (resource === null ? labelOf(record.resource) : '')}
              </span>
            </li>
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
