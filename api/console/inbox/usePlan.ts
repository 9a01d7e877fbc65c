/** A bulk before it is made: its operation, and what a dry run says of it. Used by SelectionBar. */
import { useEffect, useRef, useState } from 'react';
import { useSession } from '../shell/session.ts';
import { newIdempotencyKey } from '../wire/http.ts';
import { keys } from '../wire/queries.ts';
import type { Bulk, BulkDryRun } from '../wire/types.ts';
import { toBulkQuery } from './filter.ts';
import type { Selection } from './useSelection.ts';

export type Operation =
  | { readonly type: 'state'; readonly state: string }
  | { readonly type: 'assign'; readonly assignee: string | null }
  | { readonly type: 'tags'; readonly add: readonly string[]; readonly remove: readonly string[] }
  | { readonly type: 'snooze'; readonly until: number | null };

/** The selection that a plan is made for. */
type Chosen = Pick<Selection, 'ids' | 'whole'>;

/** Returns whether the same is selected; of a whole list it does not matter what is loaded. */
const isSame = (a: Chosen, b: Chosen): boolean =>
  a.whole === b.whole && (a.whole !== null || (a.ids.size === b.ids.size && [...a.ids].every((id) => b.ids.has(id))));

interface Plan {
  /** The selection at the time of the dry run; the plan ends with it. */
  readonly chosen: Chosen;
  readonly operation: Operation;
  readonly reason: string | null;
  readonly dry: BulkDryRun;
  /** How many were selected, as the page knew it; null: it did not. */
  readonly selected: number | null;
  /** Body of the request that makes the bulk. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Idempotency key of the bulk; a second try has the same. */
  readonly key: string;
}

interface Planning {
  readonly plan: Plan | null;
  readonly isBusy: boolean;
  /** Makes a dry run of the operation. */
  make(operation: Operation, reason: string | null): Promise<void>;
  drop(): void;
  /** Returns the id of the bulk; null: it was refused, which a notice says. */
  start(): Promise<string | null>;
}

/** `total`: how many the whole list has, as far as it is known. */
export const usePlan = ({ ids, whole }: Selection, total: number | null): Planning => {
  const { http, queries, notices } = useSession();
  const [made, setPlan] = useState<Plan | null>(null);
  const plan = made !== null && isSame(made.chosen, { ids, whole }) ? made : null;
  const latest = useRef<Chosen>({ ids, whole });
  useEffect(() => {
    latest.current = { ids, whole };
    // The same rows, selected again, are to be looked at again.
    setPlan((known) => (known !== null && isSame(known.chosen, { ids, whole }) ? known : null));
  }, [ids, whole]);
  const [isBusy, setBusy] = useState(false);
  const post = async <T>(body: object, idempotencyKey?: string): Promise<T | null> => {
    setBusy(true);
    const options = { body, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
    const answer = await notices.attempt(() => http.call<T>('POST', '/bulk', options));
    setBusy(false);
    return answer?.body ?? null;
  };
  const make = async (operation: Operation, reason: string | null): Promise<void> => {
    const selectedNow = { ids, whole };
    const query = whole === null ? null : toBulkQuery(whole);
    const common = { operation, ...(reason === null ? {} : { reason }) };
    // A query without filters has to say how many it expects.
    const expected = query !== null && Object.keys(query).length === 0 && total !== null ? { expect: total } : {};
    const chosen = query === null ? { ids: [...ids] } : { query, ...expected };
    const dry = await post<BulkDryRun>({ ...common, ...chosen, dryRun: true });
    if (dry === null || !isSame(latest.current, selectedNow)) return;
    const body = { ...common, ...chosen, ...(query === null ? {} : { expect: dry.matched }) };
    const selected = query === null ? ids.size : total;
    setPlan({ chosen: selectedNow, operation, reason, dry, selected, body, key: newIdempotencyKey() });
  };
  return {
    plan,
    isBusy,
    make,
    drop: () => setPlan(null),
    start: async () => {
      if (plan === null || isBusy) return null;
      const answer = await post<{ bulk: Bulk }>(plan.body, plan.key);
      if (answer === null) return null;
      setPlan(null);
      queries.setQueryData<Bulk>(keys.bulk(answer.bulk.id), (known) => known ?? answer.bulk);
      void queries.invalidateQueries({ queryKey: keys.bulks });
      return answer.bulk.id;
    },
  };
};
