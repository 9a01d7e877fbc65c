/** What a request for a bulk is about: its first items, and why some of them would not change. Used by Decision. */
import { Link } from '@tanstack/react-router';
import { legible } from '../content/legible.ts';
import { Problems } from '../content/Problems.tsx';
import { RecordLink } from '../content/RecordLink.tsx';
import { useSession } from '../shell/session.ts';
import type { Approval, BulkDryRun } from '../wire/types.ts';
import { requestTexts } from './requestTexts.tsx';

interface BulkItem {
  readonly id: string;
  readonly title: string;
  readonly record: { readonly resource: string; readonly id: string; readonly title: string | null } | null;
}

interface BulkFactsProps {
  readonly approval: Approval;
}

const { bulk } = requestTexts;

const Items = ({ items, more }: { readonly items: readonly BulkItem[]; readonly more: number }) => {
  const { environment } = useSession();
  return (
    <section>
      <h2>{bulk.items}</h2>
      <ul>
        {items.map(({ id, title, record }) => (
          <li key={id}>
            <Link to="/env/$environment/items" params={{ environment }} search={{ show: 'all', item: id }} dir="auto">
              {legible(title)}
            </Link>
            {record !== null && (
              <span className="soft">
                {' · '}
                <RecordLink resource={record.resource} id={record.id} title={legible(record.title ?? record.id)} />
              </span>
            )}
          </li>
        ))}
        {more > 0 && <li className="soft">{bulk.more(more)}</li>}
      </ul>
    </section>
  );
};

export const BulkFacts = ({ approval: { kind, now, after } }: BulkFactsProps) => {
  if (kind !== 'bulk') return null;
  const { items = [], more = 0 }: { readonly items?: readonly BulkItem[]; readonly more?: number } = now ?? {};
  // A bulk of more than 10,000 items has no counts.
  const { matched, ...rest }: Partial<BulkDryRun> = after ?? {};
  const { wouldChange = 0, unchanged = 0, forbidden = 0, failed = 0, problems = [] } = rest;
  return (
    <>
      {matched !== undefined && <p>{bulk.effect({ matched, wouldChange, unchanged, forbidden, failed })}</p>}
      {items.length > 0 && <Items items={items} more={more} />}
      {problems.length > 0 && (
        <section>
          <h2>{bulk.problems}</h2>
          <Problems problems={problems} />
        </section>
      )}
    </>
  );
};
