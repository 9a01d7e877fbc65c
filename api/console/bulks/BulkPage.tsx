/** One bulk: how far it is, and what was not changed, by kind and with a way to each item. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useSession } from '../shell/session.ts';
import { Problem, Skeleton } from '../ui/Problem.tsx';
import { Ago } from '../ui/Time.tsx';
import { bulkResultsQuery } from '../wire/bulkQueries.ts';
import { useItem } from '../wire/itemStore.ts';
import { bulkQuery } from '../wire/queries.ts';
import type { Bulk, BulkResult } from '../wire/types.ts';
import { BulkLine } from './BulkLine.tsx';

/** The outcomes in the order in which they are shown: those that changed nothing first, as they need a look. */
const outcomes: readonly (readonly [BulkResult['outcome'], string])[] = [
  ['failed', 'Failed'],
  ['conflict', 'Changed by somebody else meanwhile'],
  ['forbidden', 'Your role may not'],
  ['not_found', 'Not here, or not visible to you'],
  ['cancelled', 'Not tried, as it was stopped'],
  ['unchanged', 'As they were'],
  ['changed', 'Changed'],
];

const Result = ({ result }: { readonly result: BulkResult }) => {
  const { items, environment } = useSession();
  const item = useItem(items, result.id);
  return (
    <li>
      <Link
        to="/env/$environment/items"
        params={{ environment }}
        search={{ show: 'all', item: result.id }}
        className={item === undefined ? 'mono' : ''}
        dir="auto"
      >
        {item?.title ?? result.id}
      </Link>
      {result.error !== null && (
        <span className="soft">
          {result.error} <span className="code">{result.code}</span>
        </span>
      )}
    </li>
  );
};

const Outcome = ({
  bulk,
  outcome,
  title,
}: {
  readonly bulk: Bulk;
  readonly outcome: BulkResult['outcome'];
  readonly title: string;
}) => {
  const { http } = useSession();
  const { data, error } = useQuery(bulkResultsQuery(http, bulk, outcome));
  if (error !== null) return <Problem error={error} />;
  if (data === undefined || data.results.length === 0) return null;
  return (
    <section className="waiting" aria-label={title}>
      <h2>
        {title}{' '}
        <span className="soft">
          {data.results.length}
          {data.isMore && ' and more'}
        </span>
      </h2>
      <ul>
        {data.results.map((result) => (
          <Result key={result.id} result={result} />
        ))}
      </ul>
    </section>
  );
};

export const BulkPage = () => {
  const { http, environment } = useSession();
  const { id } = useParams({ from: '/env/$environment/bulks/$id' });
  const navigate = useNavigate();
  const { data: bulk, error, refetch } = useQuery({ ...bulkQuery(http, id) });
  if (error !== null && bulk === undefined) return <Problem isPage error={error} onRetry={() => void refetch()} />;
  if (bulk === undefined) return <Skeleton rows={4} />;
  return (
    <div className="column home">
      <header>
        <p>
          <Link to="/env/$environment/bulks" params={{ environment }}>
            ← Bulks
          </Link>
        </p>
        <h1>A bulk of {bulk.by.name}</h1>
        <p className="soft">
          {bulk.startedAt === null ? (
            'Not begun'
          ) : (
            <>
              Begun <Ago isInSentence at={bulk.startedAt} />
            </>
          )}{' '}
          · <span className="mono">{bulk.id}</span>
        </p>
      </header>
      <BulkLine
        isPage
        id={id}
        onUndone={(next) => void navigate({ to: '/env/$environment/bulks/$id', params: { environment, id: next } })}
      />
      {outcomes.map(([outcome, title]) => (
        <Outcome key={outcome} bulk={bulk} outcome={outcome} title={title} />
      ))}
    </div>
  );
};
