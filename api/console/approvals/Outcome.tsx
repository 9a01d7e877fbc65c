/** How a request ended: who decided it, when and why, and what it led to. Used by Decision. */
import { useQuery } from '@tanstack/react-query';
import { RunState } from '../actions/RunView.tsx';
import { deedOf, progressOf } from '../bulks/BulkLine.tsx';
import { ThingLink } from '../content/links.tsx';
import { useNames } from '../content/names.ts';
import { legible } from '../content/values.ts';
import { useSession } from '../shell/session.ts';
import { Ago } from '../ui/Time.tsx';
import { ApiError } from '../wire/apiError.ts';
import { bulkQuery } from '../wire/queries.ts';
import { runQuery } from '../wire/runQueries.ts';
import type { Approval } from '../wire/types.ts';
import { requestTexts } from './texts.tsx';

const isHidden = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** The run that an approval began. */
const LedToRun = ({ id }: { readonly id: string }) => {
  const { http, runs } = useSession();
  const { data: run, error } = useQuery({ ...runQuery(http, runs, id), retry: false });
  if (run === undefined) return isHidden(error) && <p className="soft">{requestTexts.verdict.unseenRun}</p>;
  return (
    <p>
      {requestTexts.verdict.ledTo}{' '}
      <ThingLink type="run" id={id} dir="auto">
        {legible(run.label)}
      </ThingLink>{' '}
      <RunState run={run} />
      {(run.message ?? run.error) !== null && (
        <span className="soft" dir="auto">
          {' '}
          {legible(run.message ?? run.error ?? '')}
        </span>
      )}
    </p>
  );
};

/** The bulk that an approval began. */
const LedToBulk = ({ id }: { readonly id: string }) => {
  const { http } = useSession();
  const names = useNames();
  const { data: bulk, error } = useQuery({ ...bulkQuery(http, id), retry: false });
  if (bulk === undefined) return isHidden(error) && <p className="soft">{requestTexts.verdict.unseenBulk}</p>;
  return (
    <p>
      {requestTexts.verdict.ledTo}{' '}
      <ThingLink type="bulk" id={id} dir="auto">
        {deedOf(bulk.operation, names.of)}
      </ThingLink>{' '}
      <span className="soft">{progressOf(bulk)}</span>
    </p>
  );
};

export const Outcome = ({ approval }: { readonly approval: Approval }) => {
  const { status, decidedBy, decidedAt, note, run, bulk } = approval;
  const ends: Readonly<Record<string, string>> = requestTexts.verdict.ends;
  const end = <strong>{ends[status] ?? status}</strong>;
  const when = decidedAt !== null && <Ago isInSentence at={decidedAt} />;
  // The actor of a stale request has not decided it; its note is the API's sentence.
  const isOutdated = status === 'stale';
  const isApproved = status === 'approved';
  return (
    <div className="verdict" role="status">
      <p>
        {decidedBy === null || isOutdated
          ? requestTexts.verdict.ended(end, when)
          : requestTexts.verdict.endedBy(end, decidedBy.name, when)}
        {note !== null && (isOutdated ? <br /> : ': ')}
        {note !== null && <span dir="auto">{note}</span>}
      </p>
      {isApproved && run !== null && <LedToRun id={run} />}
      {isApproved && bulk !== null && <LedToBulk id={bulk} />}
    </div>
  );
};
