/** What the app adds to an item's detail: its `item.blocks`, and linked records that it serves itself. Asked by detail.ts. */
import { fullAccess } from '../../access/access.ts';
import type { Caller } from '../../access/principal.ts';
import { rpcCodes, type Block, type GivenRecord } from '../../applink/protocol.ts';
import { requireAnswer, errorBlockFor } from '../../blocks/appAnswers.ts';
import { validateBlocks, errorBlock } from '../../blocks/validateBlocks.ts';
import { presentBlocks } from '../../items/presentBlocks.ts';
import { jsonProblem } from '../../platform/core/jsonLimits.ts';
import { nullable, Type, type Static } from '../../platform/core/schema.ts';
import { compileProblemCheck } from '../../platform/core/validate.ts';
import type { ViewDeps } from '../deps.ts';
import { recordProblems, toFullRecord } from '../../records/recordProblems.ts';
import type { FullRecord } from '../../records/queries.ts';
import type { Item, RecordRef } from '../../items/model.ts';
import { itemJson } from '../../items/present.ts';

/** An item's detail is looked at all the time, and it is of use without what the app adds. */
const appTimeoutMs = 2_000;

interface AppItemDetail {
  readonly blocks: readonly Block[];
  readonly suggestions: readonly AppSuggestion[];
  readonly offline: boolean;
}

const suggestionsMax = 50;

const suggestion = Type.Object({
  action: Type.String({ maxLength: 100 }),
  record: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 200 }))),
  input: Type.Optional(Type.Object({})),
  reason: Type.Optional(nullable(Type.String({ maxLength: 500 }))),
});
export type AppSuggestion = Static<typeof suggestion>;

const checkSuggestions = compileProblemCheck(Type.Array(suggestion, { maxItems: suggestionsMax }));

const emptyAppDetail: AppItemDetail = { blocks: [], suggestions: [], offline: false };

const parseAppDetail = async (deps: ViewDeps, caller: Caller, given: unknown): Promise<AppItemDetail> => {
  const { blocks = [], suggestedActions = [] } = (typeof given === 'object' && given !== null ? given : {}) as {
    blocks?: unknown;
    suggestedActions?: unknown;
  };
  const checked = validateBlocks(blocks ?? []);
  const wrong =
    suggestedActions !== null && (jsonProblem(suggestedActions) ?? checkSuggestions(suggestedActions, '')[0]);
  const told =
    wrong === false || wrong === undefined || wrong === null
      ? checked
      : [
          ...checked,
          errorBlock(null, 'app_error', `The app’s suggestions are not valid: ${wrong.path} ${wrong.message}.`),
        ];
  return {
    blocks: await presentBlocks(deps.db, caller, told),
    suggestions: told === checked && suggestedActions !== null ? (suggestedActions as AppSuggestion[]) : [],
    offline: false,
  };
};

/** An instance that is connected and doesn't know the inbox, as while a new version is rolled out, has nothing to add. */
const missingAppDetail = async ({ link }: ViewDeps, env: number): Promise<AppItemDetail> => ({
  ...emptyAppDetail,
  offline: !(await link.online(env)),
});

/** Never fails: what the app doesn't answer in time or well is an `error` block. */
export const fetchItemDetail = async (deps: ViewDeps, caller: Caller, item: Item): Promise<AppItemDetail> => {
  const { id: env } = caller.env;
  try {
    const params = { item: JSON.parse(itemJson(item, fullAccess)) as Record<string, unknown> };
    const outcome = await deps.link.call(env, 'item.blocks', params, {
      declares: { kind: 'inbox', name: item.inbox },
      timeoutMs: appTimeoutMs,
    });
    if (outcome.kind === 'offline') return await missingAppDetail(deps, env);
    if (outcome.kind === 'lost') return { ...emptyAppDetail, offline: true };
    if (outcome.kind === 'error' && outcome.code === rpcCodes.methodNotFound) return emptyAppDetail;
    return await parseAppDetail(deps, caller, requireAnswer(outcome));
  } catch (error) {
    return { ...emptyAppDetail, blocks: [errorBlockFor(deps.log, null, error)] };
  }
};

interface AppRecords {
  readonly records: readonly FullRecord[];
  readonly offline: boolean;
}

const recordsIn = (resource: string, ids: readonly string[], given: unknown): FullRecord[] => {
  const list = typeof given === 'object' && given !== null ? (given as { records?: unknown }).records : undefined;
  return !Array.isArray(list)
    ? []
    : list.flatMap((record: unknown) =>
        recordProblems(record).length === 0 && ids.includes((record as GivenRecord).id)
          ? [toFullRecord(resource, record as GivenRecord)]
          : [],
      );
};

const fetchResourceRecords = async (
  { link }: ViewDeps,
  env: number,
  [resource, ids]: readonly [string, readonly string[]],
): Promise<AppRecords> => {
  const outcome = await link.call(
    env,
    'records.get',
    { resource, ids },
    { declares: { kind: 'resource', name: resource }, timeoutMs: appTimeoutMs },
  );
  if (outcome.kind === 'answer') return { records: recordsIn(resource, ids, outcome.result), offline: false };
  return { records: [], offline: outcome.kind === 'lost' || (outcome.kind === 'offline' && !(await link.online(env))) };
};

/** Those of `refs` that the app answers in time, all of one resource by one call; the others are known by their references alone. */
export const fetchLinkedRecords = async (
  deps: ViewDeps,
  caller: Caller,
  refs: readonly RecordRef[],
): Promise<AppRecords> => {
  const byResource = new Map<string, string[]>();
  for (const { resource, id } of refs) {
    if (caller.env.definition.resources.get(resource)?.source === 'app')
      byResource.set(resource, [...(byResource.get(resource) ?? []), id]);
  }
  const answers = await Promise.all([...byResource].map((entry) => fetchResourceRecords(deps, caller.env.id, entry)));
  return { records: answers.flatMap(({ records }) => records), offline: answers.some(({ offline }) => offline) };
};
