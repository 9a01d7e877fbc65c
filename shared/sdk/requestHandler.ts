/** What the service asks of an app, and which handler answers it; the link calls it for each request, and it never rejects. */
import { linkLimits, rpcCodes, type Json, type ServiceCalls, type ServiceMethod } from '../applink/protocol.ts';
import type { App } from './defineApp.ts';
import type { Item } from './handlers.ts';
import type { AnswerCache } from './answerCache.ts';
import type { RpcAnswer, Peer } from './peer.ts';
import { toRpcError, LinkProblem } from './problems.ts';
import { runAction, type RunParams, type RunDeps } from './runs.ts';

interface ServeDeps extends RunDeps {
  readonly app: App;
  readonly runs: AnswerCache;
  readonly replies: AnswerCache;
  readonly isStopping: () => boolean;
  /** A run was answered whose connection has ended meanwhile. */
  readonly onLateAnswer: () => void;
}

/** How long the service waits for what changes something: longer than for a read. */
const effectTimeoutMs = 60_000;

type Params<M extends ServiceMethod> = ServiceCalls[M]['params'];
type Served = {
  readonly [M in Exclude<ServiceMethod, 'action.run'>]: (params: Params<M>, signal: AbortSignal) => unknown;
};

class NotDeclared extends Error {}
const requireDeclared = <T>(handler: T | undefined, what: string): T => {
  if (handler === undefined) throw new NotDeclared(`The app has no ${what}.`);
  return handler;
};

const toRecordsResult = (records: unknown): unknown =>
  Array.isArray(records) ? { records: records as unknown[] } : records;

const answerAvailable = async (
  app: App,
  { refs }: Params<'action.available'>,
  signal: AbortSignal,
): Promise<ServiceCalls['action.available']['result']> => {
  const byResource = new Map<string, string[]>();
  for (const { resource, id } of refs) byResource.set(resource, [...(byResource.get(resource) ?? []), id]);
  const answers = await Promise.all(
    [...byResource].map(async ([resource, ids]) => {
      const said = (await app.resources.get(resource)?.available?.({ ids, signal })) ?? {};
      return ids
        .filter((id) => Object.hasOwn(said, id))
        .map((id) => ({
          resource,
          id,
          actions: Object.entries(said[id]?.defaults ?? {}).map(([action, defaults]) => ({ action, defaults })),
          unavailable: Object.entries(said[id]?.unavailable ?? {}).map(([action, reason]) => ({ action, reason })),
        }));
    }),
  );
  return { available: answers.flat() };
};

const answerPageBlock = async (
  app: App,
  { page, block: place, params, actor }: Params<'page.block'>,
  signal: AbortSignal,
): Promise<{ block: Json }> => {
  const {
    load,
    source: _source,
    query: _query,
    ...declared
  } = requireDeclared(app.pages.get(page)?.blocks[place], `block ${String(place)} of a page ${page}`);
  const content = await requireDeclared(
    load,
    `handler for block ${String(place)} of the page ${page}`,
  )({ params, actor, signal });
  return { block: { ...declared, ...content } };
};

const createMethodTable = (app: App): Served => {
  const records = (resource: string) => {
    const found = requireDeclared(app.resources.get(resource), `resource ${resource}`);
    return {
      related: found.related,
      ...(found.source === 'app' ? { search: found.search, list: found.list, get: found.get } : {}),
    };
  };
  return {
    'action.available': (params, signal) => answerAvailable(app, params, signal),
    'records.search': async ({ resource, ...params }, signal) =>
      toRecordsResult(await requireDeclared(records(resource).search, `search of ${resource}`)({ ...params, signal })),
    'records.list': async ({ resource, ...params }, signal) =>
      toRecordsResult(await requireDeclared(records(resource).list, `list of ${resource}`)({ ...params, signal })),
    'records.get': async ({ resource, ...params }, signal) =>
      toRecordsResult(await requireDeclared(records(resource).get, `get of ${resource}`)({ ...params, signal })),
    'records.related': async ({ resource, ...params }, signal) =>
      toRecordsResult(
        await requireDeclared(records(resource).related, `relation of ${resource}`)({ ...params, signal }),
      ),
    'page.block': (params, signal) => answerPageBlock(app, params, signal),
    'item.blocks': ({ item }, signal) =>
      app.inboxes.get((item as Item).inbox)?.detail?.({ item: item as Item, signal }) ?? {
        blocks: [],
        suggestedActions: [],
      },
    'record.blocks': ({ resource, id }, signal) =>
      app.resources.get(resource)?.detail?.({ id, signal }) ?? { blocks: [] },
    'triage.answer': async ({ item }, signal) =>
      (await app.triage.get((item as Item).inbox)?.answer?.({ item: item as Item, signal })) ?? null,
    'reply.send': async (params, signal) => {
      const item = params.item as Item;
      const reply = app.inboxes.get(item.inbox)?.reply;
      await requireDeclared(
        reply?.via === 'app' ? reply.send : undefined,
        `reply handler for the inbox ${item.inbox}`,
      )({ ...params, item, signal });
      return null;
    },
  };
};

export const createRequestHandler = (
  parts: ServeDeps,
): ((method: string, params: unknown, peer: Peer) => Promise<RpcAnswer>) => {
  const { app, runs, replies, limiter: slots, onProblem: problem, isStopping: stopping } = parts;
  const served = new Map(Object.entries(createMethodTable(app))) as Map<
    string,
    (params: unknown, signal: AbortSignal) => unknown
  >;
  let deliveries = 0;
  const refuse: RpcAnswer = {
    error: { code: rpcCodes.actionFailed, message: 'The app is stopping.', data: { retryable: true } },
  };

  const read = async (method: string, params: unknown): Promise<RpcAnswer> => {
    const handler = served.get(method);
    if (handler === undefined)
      return { error: { code: rpcCodes.methodNotFound, message: `There is no method ${method}.` } };
    const deadline = method === 'triage.answer' || method === 'reply.send' ? effectTimeoutMs : linkLimits.readMs;
    try {
      return { result: (await slots.run(deadline, async (signal) => handler(params, signal))) ?? null };
    } catch (error) {
      if (error instanceof NotDeclared) return { error: { code: rpcCodes.invalidParams, message: error.message } };
      const told = toRpcError(error);
      if (!told.expected) problem(new LinkProblem('handler', `The handler of ${method} failed.`, { cause: error }));
      return { error: told.error };
    }
  };

  return async (method, params, peer) => {
    if (method === 'action.run') {
      const run = params as RunParams;
      if (stopping() && !runs.has(run.run)) return refuse;
      const answer = await runs.answer(run.run, run.attempt, () => runAction(app.actions.get(run.action), run, parts));
      if (peer.ended) parts.onLateAnswer();
      return answer;
    }
    if (stopping()) return refuse;
    if (method !== 'reply.send') return read(method, params);
    // A delivery that failed is tried again under the same name, so only one that was sent is remembered as done.
    const { delivery } = params as Params<'reply.send'>;
    const answer = await replies.answer(delivery, ++deliveries, () => read(method, params));
    replies.settle(delivery);
    return answer;
  };
};
