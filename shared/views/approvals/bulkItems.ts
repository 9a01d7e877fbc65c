/** The first items or records of bulks that wait for approval, with the amounts of their records, so that whoever decides sees what they are about. Used by currentTargets.ts. */
import type { Environment } from '../../app/manifest/definition.ts';
import { amountFields } from '../../app/manifest/money.ts';
import type { Approval } from '../../approvals/model.ts';
import { limits } from '../../catalogue/limits.ts';
import { readItems, type Item, type RecordRef } from '../../items/model.ts';
import { queryRows, statement } from '../../platform/db/sql.ts';
import type { FullRecord } from '../../records/read.ts';
import type { ViewDeps } from '../deps.ts';

/** A record with its amounts and their currencies; without `fields` it has none, or was not found. */
interface BulkRecord extends RecordRef {
  readonly title: string | null;
  readonly fields?: Readonly<Record<string, unknown>>;
}

type BulkItem = Pick<Item, 'id' | 'inbox' | 'title' | 'state'> & { readonly record: BulkRecord | null };

/** The target of a bulk's approval as it is now. */
interface BulkTarget {
  /** The first `limits.approvalItems` that were named, as far as they exist. */
  readonly items: readonly BulkItem[];
  /** The same of a bulk that names records; null: it names items. */
  readonly refs: readonly BulkRecord[] | null;
  /** How many more ids were named. */
  readonly more: number;
}

/** Returns records by their references, in no order: those that exist. */
export type FindRecords = (deps: ViewDeps, env: Environment, refs: readonly RecordRef[]) => Promise<FullRecord[]>;

const firstIds = statement(
  'bulk.firstIds',
  `select bulk, ids[1:${String(limits.approvalItems)}] as ids from bulk_chunks where bulk = any ($1::text[]) and n = 0`,
);

const recordKey = ({ resource, id }: RecordRef): string => `${resource}/${id}`;

/** Returns a function that adds amounts to the records of bulks. */
const readAmounts = async (deps: ViewDeps, env: Environment, refs: readonly RecordRef[], findRecords: FindRecords) => {
  const found = refs.length === 0 ? [] : await findRecords(deps, env, refs);
  const byKey = new Map(found.map((record) => [recordKey(record), record]));
  return ({ resource, id, title }: RecordRef & { readonly title?: string | null }): BulkRecord => {
    const record = byKey.get(recordKey({ resource, id }));
    const declared = env.definition.resources.get(resource);
    const fields = record === undefined || declared === undefined ? {} : amountFields(declared, record.fields);
    return {
      resource,
      id,
      title: title ?? record?.title ?? null,
      ...(Object.keys(fields).length === 0 ? {} : { fields }),
    };
  };
};

/** Returns the target of each bulk among the approvals that are pending, by the bulk's id. */
export const readBulkTargets = async (
  deps: ViewDeps,
  env: Environment,
  approvals: readonly Approval[],
  findRecords: FindRecords,
): Promise<ReadonlyMap<string, BulkTarget>> => {
  const pending = approvals.flatMap(({ kind, status, bulk, request }) =>
    kind === 'bulk' && status === 'pending' && bulk !== null ? [[bulk, request] as const] : [],
  );
  if (pending.length === 0) return new Map();
  const requests = new Map(pending);
  const rows = (await queryRows<{ bulk: string; ids: string[] }>(deps.db, firstIds, [[...requests.keys()]])).map(
    ({ bulk, ids }) => {
      const operation: object | undefined = requests.get(bulk)?.operation;
      const resource = operation !== undefined && 'records' in operation ? String(operation.records) : null;
      return { bulk, ids, refs: resource === null ? null : ids.map((id) => ({ resource, id })) };
    },
  );
  const found = await readItems(
    deps.db,
    env.id,
    rows.flatMap(({ ids, refs }) => (refs === null ? ids : [])),
  );
  const records = [
    ...rows.flatMap(({ refs }) => refs ?? []),
    ...[...found.values()].flatMap(({ record }) => record ?? []),
  ];
  const withAmounts = await readAmounts(deps, env, records, findRecords);
  const toBulkItem = ({ id, inbox, title, state, record }: Item): BulkItem => ({
    id,
    inbox,
    title,
    state,
    record: record === null ? null : withAmounts(record),
  });
  return new Map(
    rows.map(({ bulk, ids, refs }) => [
      bulk,
      {
        items: refs === null ? ids.flatMap((id) => found.get(id) ?? []).map(toBulkItem) : [],
        refs: refs?.map(withAmounts) ?? null,
        more: (requests.get(bulk)?.total ?? ids.length) - ids.length,
      },
    ]),
  );
};
