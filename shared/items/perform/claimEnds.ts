/** Ends claims: those whose time is over, and those of holders who may not work on the item any more. For the sweeps. */
import type { DomainDeps } from '../../accounts/deps.ts';
import type { ActorRef } from '../../catalogue/events.ts';
import type { Db } from '../../platform/db/knex.ts';
import { queryRows, statement } from '../../platform/db/sql.ts';
import { change, live, writeChange } from '../../platform/journal/changeWriter.ts';
import { withEventIds } from '../../platform/journal/events.ts';
import { claimEnd, claimHolder } from '../model.ts';
import { worksHere } from '../operations/assign.ts';
import { claimSetSql } from './writeSql.ts';

const endBatch = 500;

/** The condition that a claim is over, of a time $1. */
export const lapsedClaimsDue = `exists (select from items i where i.claim is not null and ${claimEnd('i')} <= $1)`;

/** Rows of claims that end: what is counted of them changes, and a claim that lapses is not told. */
const lapsing = change('claims.lapse', {
  over: `
  select i.env, i.id from items i where i.claim is not null and ${claimEnd('i')} <= $at::bigint
  order by ${claimEnd('i')} limit ${String(endBatch)} for no key update skip locked`,
  ended: claimSetSql('(select o.*, null::jsonb as claim from over o)', { env: 'g.env', returning: 'i.env, i.inbox' }),
  numbered: withEventIds('ended', 'env, inbox'),
  told: live(
    { id: 'id', env: 'env', inbox: 'inbox', parts: "'[]'", deltas: `'{"claimed":-1}'::jsonb`, whole: 'true' },
    { from: 'numbered' },
  ),
});

/** Ends the claims whose time is over. Returns how many. */
export const endLapsedClaims = async (db: Db, at: number): Promise<number> => {
  let ended = 0;
  for (let some = endBatch; some === endBatch; ended += some) some = await writeChange(db, lapsing, { at });
  return ended;
};

export const anyClaimDue = 'exists (select from items i where i.claim is not null)';

const holdersSql = statement(
  'claims.holders',
  `select i.env, i.inbox, i.claim->'by' as by from items i where i.claim is not null group by i.env, i.inbox, i.claim->'by'`,
);

interface Holder {
  readonly env: number;
  readonly inbox: string;
  readonly by: ActorRef;
}

/** Ends the claims that somebody holds in an inbox, and tells of them. */
const ending = change('claims.end', {
  ended: claimSetSql(
    `(select i.id, null::jsonb as claim from items i where i.env = $env and i.claim is not null and ${claimHolder('i')} = $holder and i.inbox = $inbox for no key update skip locked)`,
    { returning: 'i.id, i.inbox' },
  ),
  numbered: withEventIds('ended', 'ended.id as item, inbox', 'id'),
  told: live(
    {
      id: 'id',
      inbox: 'inbox',
      parts: `json_build_array(json_build_object('type', 'claim', 'inbox', inbox, 'item', item, 'claim', null))::text`,
      deltas: `'{"claimed":-1}'::jsonb`,
      whole: 'true',
    },
    { from: 'numbered' },
  ),
});

const isLost = ({ directory }: DomainDeps, { env: envId, inbox, by }: Holder): boolean => {
  const env = directory.environmentById(envId);
  const holder = by.type === 'agent' ? directory.agent(by.id ?? '') : directory.person(by.id ?? '');
  return env !== undefined && !worksHere(holder, env, inbox);
};

/** Ends the claims of those who are revoked, or see the inbox no more. Returns how many. */
export const endLostClaims = async (deps: DomainDeps): Promise<number> => {
  const holders = await queryRows<Holder>(deps.db, holdersSql);
  if (!holders.some((holder) => isLost(deps, holder))) return 0;
  // By an older cache somebody new would not be known yet.
  await deps.directory.refresh();
  let ended = 0;
  for (const holder of holders)
    if (isLost(deps, holder))
      ended += await writeChange(deps.db, ending, {
        env: holder.env,
        inbox: holder.inbox,
        holder: holder.by.id,
        at: deps.clock.now(),
      });
  return ended;
};
