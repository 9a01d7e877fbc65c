/** The bulks that one started, newest first, and for those who see the audit log everybody’s: found again, stopped, undone; and one bulk with what became of its items. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ThingLink } from '../content/links.tsx';
import { useSession, useRead } from '../shell/session.ts';
import { shellTexts } from '../shell/texts.tsx';
import { Ago } from '../ui/marks.tsx';
import { ColumnHead } from '../ui/PageParts.tsx';
import { count } from '../ui/plural.ts';
import { Empty, Problem, Skeleton } from '../ui/Problem.tsx';
import { Row, Rows } from '../ui/Rows.tsx';
import { useItem } from '../wire/itemStore.ts';
import { bulkQuery } from '../wire/queries.ts';
import { bulkResultsQuery, bulksQuery } from '../wire/runQueries.ts';
import { itemTitleQuery } from '../wire/searchQueries.ts';
import type { Bulk, BulkResult } from '../wire/types.ts';
import { BulkLine } from './BulkLine.tsx';
import { bulkTexts } from './texts.tsx';

/** The outcomes in the order in which they are shown: those that changed nothing first, as they need a look. */
const outcomes: readonly BulkResult['outcome'][] = [
  'failed',
  'conflict',
  'forbidden',
  'not_found',
  'cancelled',
  'unchanged',
  'changed',
];

const Result = ({ result }: { readonly result: BulkResult }) => {
  const { http, items } = useSession();
  const item = useItem(items, result.id);
  const { data: read } = useQuery({ ...itemTitleQuery(http, result.id), enabled: item === undefined });
  const title = item?.title ?? read ?? null;
  return (
    <Row>
      <ThingLink type="item" id={result.id} className={title === null ? 'mono' : ''} dir="auto">
        {title ?? result.id}
      </ThingLink>
      {result.error !== null && (
        <span className="soft">
          <span data-code={result.code ?? undefined}>{result.error}</span>
        </span>
      )}
    </Row>
  );
};

interface OutcomeProps {
  readonly bulk: Bulk;
  readonly outcome: BulkResult['outcome'];
}

const Outcome = ({ bulk, outcome }: OutcomeProps) => {
  const { data, error } = useRead((http) => bulkResultsQuery(http, bulk, outcome));
  if (error !== null) return <Problem error={error} />;
  if (data === undefined || data.results.length === 0) return null;
  const title = bulkTexts.outcome[outcome];
  const { length } = data.results;
  return (
    <section className="waiting" aria-label={title}>
      <h2>
        {title} <span className="soft">{data.isMore ? bulkTexts.andMore(length) : count(length)}</span>
      </h2>
      <Rows hasMore={data.isMore}>
        {data.results.map((result) => (
          <Result key={result.id} result={result} />
        ))}
      </Rows>
    </section>
  );
};

/** One bulk: how far it is, and what was not changed, by kind and with a way to each item. */
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
            {bulkTexts.back}
          </Link>
        </p>
        <h1>{bulkTexts.titleOf(bulk.by.name)}</h1>
        <p className="soft">
          {bulk.startedAt === null ? bulkTexts.notBegun : bulkTexts.begun(<Ago isInSentence at={bulk.startedAt} />)} ·{' '}
          <span className="mono">{bulk.id}</span>
        </p>
      </header>
      <BulkLine
        isPage
        id={id}
        onUndone={(next) => void navigate({ to: '/env/$environment/bulks/$id', params: { environment, id: next } })}
      />
      {outcomes.map((outcome) => (
        <Outcome key={outcome} bulk={bulk} outcome={outcome} />
      ))}
    </div>
  );
};

export const BulksPage = () => {
  const { data: bulks, error, refetch } = useRead(bulksQuery);
  /** Undoing bulks that the list does not have yet. */
  const [made, setMade] = useState<readonly string[]>([]);
  if (error !== null && bulks === undefined) return <Problem isPage error={error} onRetry={() => void refetch()} />;
  const fresh = made.filter((id) => bulks?.some((bulk) => bulk.id === id) !== true);
  return (
    <div className="column">
      <ColumnHead title={shellTexts.places.bulks} about={bulkTexts.about} />
      {bulks === undefined && <Skeleton rows={4} />}
      {bulks?.length === 0 && <Empty title={bulkTexts.none}>{bulkTexts.howToBegin}</Empty>}
      <Rows className="bulks">
        {fresh.map((id) => (
          <Row key={id}>
            <BulkLine id={id} onUndone={(next) => setMade([next, ...made])} />
          </Row>
        ))}
        {bulks?.map(({ id, by, startedAt }) => (
          <Row key={id}>
            <BulkLine id={id} onUndone={(next) => setMade([next, ...made])} />
            <p className="soft">
              {by.name}
              {startedAt !== null && (
                <>
                  {' '}
                  · <Ago at={startedAt} />
                </>
              )}
            </p>
          </Row>
        ))}
      </Rows>
    </div>
  );
};
