/**
 * Sources of candidates: what finds all items that one filter may leave, without an order. Where they are few, they are judged and
 * sorted; else the stream is read. Used by search.ts, scan.ts and count.ts.
 */
import { type NamedStatement, type NamedValues, namedStatement } from '../../platform/db/sql.ts';
import { idAt } from '../../platform/ids.ts';
import { hiddenFromPlanner } from '../../platform/listing/scanSql.ts';
import { claimEnd, claimHolder, scannedColumns } from '../model.ts';
import { allConditions, anyTime } from './filters.ts';
import type { ItemCountRequest } from './request.ts';

export interface CandidateSource {
  readonly name: string;
  /** Returns whether the request has the filter. */
  readonly isAsked: (request: ItemCountRequest) => boolean;
  /** Selects the rows of `items`, each once; alias `i` inside. */
  readonly rows: (columns: string) => string;
}

/** An id is made within so many milliseconds of its item's `created_at`: both come from one clock, moments apart. */
const idMarginMs = 600_000;

const sources: readonly CandidateSource[] = [
  {
    name: 'record',
    isAsked: ({ record }) => record !== null,
    // `links <> '[]'` repeats the condition of the partial index, which has no environment.
    rows: (columns) => `
      select ${columns} from items i where i.env = $env and i.record_resource = $recordResource::text and i.record_id = $recordId::text and i.record_id is not null
      union all
      select ${columns} from items i where i.links @> $recordLink::jsonb and i.links <> '[]' and ${hiddenFromPlanner('i.env = $env')}
        and (i.record_resource = $recordResource::text and i.record_id = $recordId::text) is not true`,
  },
  {
    name: 'priority',
    // The order is that of the index of priorities: without it PostgreSQL may read all items of an inbox by another. Of a range it
    // expects few rows, so that it looks up each item that is found: of an equality it expects so many that it reads the table instead.
    isAsked: ({ priority }) => priority !== null,
    rows: (columns) => `
      select ${columns} from unnest($inboxes::text[]) as v(inbox) cross join unnest($any_priority::text[]) as p(priority) cross join lateral (
        select ${scannedColumns} from items i where i.env = $env and i.inbox = v.inbox and i.priority >= p.priority and i.priority <= p.priority
        order by i.priority, i.state, i.id) i`,
  },
  {
    name: 'claimed',
    isAsked: ({ claimed }) => claimed !== null && !claimed.includes('none'),
    rows: (columns) => `
      select ${columns} from items i where i.env = $env and i.claim is not null and ${claimEnd('i')} > $now::bigint
        and (${claimHolder('i')} = any($claimed::text[]) or 'any' = any($claimed::text[]))`,
  },
  {
    name: 'delegate',
    isAsked: ({ delegates }) => delegates !== null && !delegates.includes('none'),
    rows: (columns) => `
      select ${columns} from items i where i.env = $env and i.delegate is not null and i.delegate = any($delegates::text[])`,
  },
  {
    name: 'created',
    isAsked: ({ created }) => created !== null,
    rows: (columns) =>
      `select ${columns} from items i where i.env = $env and i.id >= $createdFirst::text and i.id < $createdLast::text`,
  },
  {
    name: 'seen',
    isAsked: ({ seen }) => seen !== null,
    rows: (columns) => `
      select ${columns} from unnest($inboxes::text[]) as v(inbox) cross join lateral (
        select ${scannedColumns} from items i where i.env = $env and i.inbox = v.inbox and i.last_seen >= $seenFrom::bigint and i.last_seen < $seenTo::bigint
        order by i.last_seen desc, i.id desc) i`,
  },
];

/** Returns the sources that a request can be read from. */
export const candidateSources = (request: ItemCountRequest): readonly CandidateSource[] =>
  sources.filter(({ isAsked }) => isAsked(request));

/** Returns the parameters of the sources that are none of the filters'. */
export const sourceValues = ({ created }: Pick<ItemCountRequest, 'created'>): NamedValues => {
  const { from, to } = created ?? anyTime;
  return { createdFirst: idAt('itm', from - idMarginMs), createdLast: idAt('itm', to + idMarginMs) };
};

/** Counts the candidates, up to `$most` + 1. */
export const candidateCountStatement = ({ name, rows }: CandidateSource): NamedStatement =>
  namedStatement(
    `items.candidates.${name}`,
    () => `select count(*) from (select 1 from (${rows('i.id')}) i limit $most + 1) i`,
  );

/** Counts the candidates that fit. */
export const candidateFitStatement = ({ name, rows }: CandidateSource): NamedStatement =>
  namedStatement(
    `items.fittingCandidates.${name}`,
    () => `
    select count(*) from (select 1 from (${rows(scannedColumns)} offset 0) i where ${hiddenFromPlanner('i.inbox = any ($inboxes::text[])')} and ${allConditions} limit $limit) i`,
  );
