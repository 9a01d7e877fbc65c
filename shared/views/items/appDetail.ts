/** What the app adds to an item's detail: its `item.blocks`, and linked records that it serves itself. Asked by detail.ts. */
import { fullAccess } from '../../access/access.ts';
import type { Caller } from '../../access/principal.ts';
import { rpcCodes, type Block, type GivenRecord } from '../../applink/protocol.ts';
import { answerOf, failedBlock } from '../../blocks/ask.ts';
import { checkedBlocks, errorBlock } from '../../blocks/check.ts';
import { seenBlocks } from '../../items/seenBlocks.ts';
import { jsonProblem } from '../../platform/core/guard.ts';
import { nullable, Type, type Static } from '../../platform/core/schema.ts';
import { ownProblemsOf } from '../../platform/core/validate.ts';
import type { ViewDeps } from '../deps.ts';
import { recordProblems, wholeRecord } from '../../records/given.ts';
import type { FullRecord } from '../../records/queries.ts';
import type { Item, RecordRef } from '../../items/model.ts';
import { itemJson } from '../../items/present.ts';

/** An item's detail is looked at all the time, and it is of use without what the app adds. */
export const appWaitMs = 2_000;

export interface AppAdds {
  readonly blocks: readonly Block[];
  readonly suggestions: readonly GivenSuggestion[];
  readonly offline: boolean;
}

const suggestionsMax = 50;

const suggestion = Type.Object({
  action: Type.String({ maxLength: 100 }),
  record: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 200 }))),
  input: Type.Optional(Type.Object({})),
  reason: Type.Optional(nullable(Type.String({ maxLength: 500 }))),
});
export type GivenSuggestion = Static<typeof suggestion>;

const checkSuggestions = ownProblemsOf(Type.Array(suggestion, { maxItems: suggestionsMax }));

const nothing: AppAdds = { blocks: [], suggestions: [], offline: false };

const answered = async (deps: ViewDeps, caller: Caller, given: unknown): Promise<AppAdds> => {
  const { blocks = [], suggestedActions = [] } = (typeof given === 'object' && given !== null ? given : {}) as { blocks?: unknown; suggestedActions?: unknown };
  const checked = checkedBlocks(blocks ?? []);
  const wrong = suggestedActions !== null && (jsonProblem(suggestedActions) ?? checkSuggestions(suggestedActions, '')[0]);
  const told = wrong === false || wrong === undefined || wrong === null ? checked : [...checked, errorBlock(null, 'app_error', `The app’s suggestions are not valid: ${wrong.path} ${wrong.message}.`)];
  return {
    blocks: await seenBlocks(deps.db, caller, told),
    suggestions: told === checked && suggestedActions !== null ? (suggestedActions as GivenSuggestion[]) : [],
    offline: false,
  };
};

/** An instance that is connected and doesn't know the inbox, as while a new version is rolled out, has nothing to add. */
const unheard = async ({ link }: ViewDeps, env: number): Promise<AppAdds> => ({ ...nothing, offline: !(await link.online(env)) });

/** Never fails: what the app doesn't answer in time or well is an `error` block. */
export const askItemBlocks = async (deps: ViewDeps, caller: Caller, item: Item): Promise<AppAdds> => {
  const { id: env } = caller.env;
  try {
    const params = { item: JSON.parse(itemJson(item, fullAccess)) as Record<string, unknown> };
    const outcome = await deps.link.call(env, 'item.blocks', params, { declares: { kind: 'inbox', name: item.inbox }, timeoutMs: appWaitMs });
    if (outcome.kind === 'offline') return await unheard(deps, env);
    if (outcome.kind === 'lost') return { ...nothing, offline: true };
    if (outcome.kind === 'error' && outcome.code === rpcCodes.methodNotFound) return nothing;
    return await answered(deps, caller, answerOf(outcome));
  } catch (error) {
    return { ...nothing, blocks: [failedBlock(deps.log, null, error)] };
  }
};

export interface AppRecords {
  readonly records: readonly FullRecord[];
  readonly offline: boolean;
}

const recordsIn = (resource: string, ids: readonly string[], given: unknown): FullRecord[] => {
  const list = typeof given === 'object' && given !== null ? (given as { records?: unknown }).records : undefined;
  return !Array.isArray(list) ? [] : list.flatMap((record: unknown) => (recordProblems(record).length === 0 && ids.includes((record as GivenRecord).id) ? [wholeRecord(resource, record as GivenRecord)] : []));
};

const askResource = async ({ link }: ViewDeps, env: number, [resource, ids]: readonly [string, readonly string[]]): Promise<AppRecords> => {
  const outcome = await link.call(env, 'records.get', { resource, ids }, { declares: { kind: 'resource', name: resource }, timeoutMs: appWaitMs });
  if (outcome.kind === 'answer') return { records: recordsIn(resource, ids, outcome.result), offline: false };
  return { records: [], offline: outcome.kind === 'lost' || (outcome.kind === 'offline' && !(await link.online(env))) };
};

/** Those of `refs` that the app answers in time, all of one resource by one call; the others are known by their references alone. */
export const askLinked = async (deps: ViewDeps, caller: Caller, refs: readonly RecordRef[]): Promise<AppRecords> => {
  const byResource = new Map<string, string[]>();
  for (const { resource, id } of refs) {
    if (caller.env.definition.resources.get(resource)?.source === 'app') byResource.set(resource, [...(byResource.get(resource) ?? []), id]);
  }
  const answers = await Promise.all([...byResource].map((entry) => askResource(deps, caller.env.id, entry)));
  return { records: answers.flatMap(({ records }) => records), offline: answers.some(({ offline }) => offline) };
};
