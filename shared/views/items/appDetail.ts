/** Calls the app for its part of an item's detail: `item.blocks`, and linked records that it serves. For detail.ts. */
import { fullAccess } from '../../accounts/access/access.ts';
import type { Caller } from '../../accounts/access/principal.ts';
import { errorBlockFor, requireAnswer } from '../../app/blocks/appAnswers.ts';
import { errorBlock, validateBlocks } from '../../app/blocks/validateBlocks.ts';
import { rpcCodes, type Block } from '../../app/link/protocol.ts';
import type { Item, RecordRef } from '../../items/model.ts';
import { presentItem } from '../../items/present.ts';
import { presentBlocks } from '../../items/presentBlocks.ts';
import { isObject } from '../../platform/json/jsonLimits.ts';
import { nullable, Type, type Static } from '../../platform/json/schema.ts';
import { compileProblemCheck } from '../../platform/json/validate.ts';
import type { FullRecord } from '../../records/queries.ts';
import { isReceivedRecord, toFullRecord } from '../../records/recordProblems.ts';
import type { ViewDeps } from '../deps.ts';

/** Milliseconds that the app may take; short, as the detail is useful without the app's part. */
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
  const answer: Readonly<Record<string, unknown>> = isObject(given) ? given : {};
  const blocks = validateBlocks(answer['blocks'] ?? []);
  const suggestions = answer['suggestedActions'] ?? [];
  const [problem] = checkSuggestions(suggestions, '');
  if (problem !== undefined) {
    const message = `The app’s suggestions are not valid: ${problem.path} ${problem.message}.`;
    const shown = await presentBlocks(deps.db, caller, [...blocks, errorBlock(null, 'app_error', message)]);
    return { blocks: shown, suggestions: [], offline: false };
  }
  return {
    blocks: await presentBlocks(deps.db, caller, blocks),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checkSuggestions has found no problem
    suggestions: suggestions as AppSuggestion[],
    offline: false,
  };
};

/** Returns an empty detail; offline unless an instance is connected that doesn't declare the inbox, as during the rollout of a new version. */
const missingAppDetail = async ({ link }: ViewDeps, envId: number, since: number): Promise<AppItemDetail> => ({
  ...emptyAppDetail,
  offline: !(await link.online(envId, undefined, since)),
});

/** Returns the app's part of an item's detail. Never rejects: a late or invalid answer becomes an `error` block. */
export const fetchItemDetail = async (
  deps: ViewDeps,
  caller: Caller,
  item: Item,
  latestOccurrence: Readonly<Record<string, unknown>>,
): Promise<AppItemDetail> => {
  const { id: envId } = caller.env;
  const since = performance.now();
  try {
    const params = { item: presentItem(item, fullAccess), latestOccurrence };
    const outcome = await deps.link.call(envId, 'item.blocks', params, {
      declares: { kind: 'inbox', name: item.inbox },
      timeoutMs: appTimeoutMs,
    });
    if (outcome.kind === 'offline') return await missingAppDetail(deps, envId, since);
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
  const list = isObject(given) ? given['records'] : undefined;
  return !Array.isArray(list)
    ? []
    : list.flatMap((record: unknown) =>
        isReceivedRecord(record) && ids.includes(record.id) ? [toFullRecord(resource, record)] : [],
      );
};

const fetchResourceRecords = async (
  { link }: ViewDeps,
  envId: number,
  [resource, ids]: readonly [string, readonly string[]],
): Promise<AppRecords> => {
  const since = performance.now();
  const outcome = await link.call(
    envId,
    'records.get',
    { resource, ids },
    { declares: { kind: 'resource', name: resource }, timeoutMs: appTimeoutMs },
  );
  if (outcome.kind === 'answer') return { records: recordsIn(resource, ids, outcome.result), offline: false };
  return {
    records: [],
    offline: outcome.kind === 'lost' || (outcome.kind === 'offline' && !(await link.online(envId, undefined, since))),
  };
};

/** Returns those of `refs` that the app serves and answers in time, by one call per resource. */
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
