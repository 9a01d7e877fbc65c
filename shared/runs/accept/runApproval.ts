/** Requests the approval of a run, which is inserted as pending, and keeps of its input what the sentence of the approval needs. Used by acceptAction.ts and retryRun.ts, and by bulks. */
import type { Caller } from '../../accounts/access/principal.ts';
import { type ActionDefinition, declaredOf } from '../../app/manifest/actions.ts';
import type { Environment } from '../../app/manifest/definition.ts';
import { type InputTexts, inputTexts, memberOf } from '../../app/manifest/money.ts';
import { readNews } from '../../approvals/news.ts';
import { requestApproval } from '../../approvals/requestApproval.ts';
import { limits } from '../../catalogue/limits.ts';
import { type Item, readItems } from '../../items/model.ts';
import type { Db } from '../../platform/db/knex.ts';
import type { SavedResponse } from '../../platform/journal/idempotency.ts';
import { findRecords } from '../../records/queries.ts';
import type { AuthorizedAction } from '../authorizeAction.ts';
import { insertRun } from '../insertRun.ts';
import { type ActionDeps, type Run, runCounter } from '../model.ts';
import type { AcceptedRun } from '../present.ts';

/** Returns the stored records that an input names by `x-resource`. */
const pickedIn = ({ definition }: Environment, { input: schema }: ActionDefinition, input: object) =>
  Object.entries(input).flatMap(([name, id]: [string, unknown]) => {
    const resource = memberOf(memberOf(memberOf(schema, 'properties'), name), 'x-resource');
    return typeof id === 'string' &&
      typeof resource === 'string' &&
      definition.resources.get(resource)?.source === 'stored'
      ? [{ name, resource, id }]
      : [];
  });

/** Returns the members that the action declares, their texts, and the titles of the records among them. `fields`: of the record; null: of a bulk. */
export const inputOfRequest = async (
  { db }: { readonly db: Db },
  env: Environment,
  { action, input }: { readonly action: ActionDefinition; readonly input: object },
  fields: unknown,
): Promise<InputTexts & { readonly declared: readonly string[] }> => {
  const picked = pickedIn(env, action, input);
  const records = await findRecords(db, env.id, picked);
  const titleOf = (ref: (typeof picked)[number]): string | null =>
    records.find(({ resource, id }) => resource === ref.resource && id === ref.id)?.title ?? null;
  return {
    declared: declaredOf(action, input),
    ...inputTexts(action.input, input, fields),
    ...(picked.length === 0
      ? {}
      : {
          picked: Object.fromEntries(picked.map((ref) => [ref.name, { resource: ref.resource, title: titleOf(ref) }])),
        }),
  };
};

/** Returns whether an item is about a record, or has a link to it. */
const isAbout = (
  { record, links }: Item,
  { resource, id }: { readonly resource: string | null; readonly id: string },
): boolean => [record, ...links].some((ref) => ref?.resource === resource && ref?.id === id);

const summaryOf = ({ label, resource, record }: Run): string =>
  record === null ? label : `${label}: ${resource ?? ''} ${record}`;

interface RunApprovalRequest {
  /** The run as it starts once it is approved. */
  readonly run: Run;
  /** For a retry, the ended run: it stays as it is until the retry is approved. */
  readonly ended?: Run;
}

/** Requests an approval and returns the pending run. The same request by the same principal returns the one that is pending. */
export const requestRunApproval = async (
  deps: ActionDeps,
  caller: Caller,
  { run, ended }: RunApprovalRequest,
  { record }: Pick<AuthorizedAction, 'record'>,
  save: (accepted: AcceptedRun) => SavedResponse | null,
): Promise<AcceptedRun> => {
  const { action, resource, record: id, item, inbox, input } = run;
  const definition = caller.env.definition.actions.get(action);
  const fields = record === 'unverified' ? undefined : record?.fields;
  const declared =
    definition === undefined ? {} : await inputOfRequest(deps, caller.env, { action: definition, input }, fields);
  const shownOn = item === null ? undefined : (await readItems(deps.db, caller.env.id, [item])).get(item);
  const isAside = shownOn !== undefined && id !== null && !isAbout(shownOn, { resource, id });
  const news =
    item !== null && caller.principal.mode === 'supervised'
      ? { news: await readNews(deps.db, caller.env.id, item, caller.principal.id) }
      : {};
  const request = { action, resource, record: id, item, isAside, input, ...declared, ...news };
  const asked = await requestApproval(deps, caller, {
    kind: 'action',
    summary: summaryOf(run),
    request: ended === undefined ? request : { ...request, endedAs: ended.fence },
    before: record === 'unverified' ? null : record,
    label: run.label,
    reversible: definition?.reversible ?? null,
    ...definition?.approvalNeeds,
    fingerprint: ['action', action, resource, id, item, input, ended?.id],
    expiresMs: limits.approvalMs,
    run: run.id,
    item: item === null || inbox === null ? null : { id: item, inbox },
    alsoInTransaction: async (tx, approval) => {
      if (ended === undefined)
        await insertRun(
          tx,
          { ...run, status: 'pending', approval },
          { due: null, saved: null, unlessQueued: false, count: runCounter(deps, run) },
        );
    },
    save: ({ approval, run: waiting }) => save({ kind: 'pending', approval, run: waiting ?? run.id }),
  });
  return { kind: 'pending', approval: asked.approval, run: asked.run ?? run.id };
};
