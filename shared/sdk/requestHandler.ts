/** Runs the app's handlers for the requests that the service makes. connect.ts makes one; peer.ts calls it for each request. */
import { linkLimits, rpcCodes, type Json, type ServiceCalls, type ServiceMethod } from '../applink/protocol.ts';
import type { AnswerCache } from './answerCache.ts';
import type { App } from './defineApp.ts';
import type { Item, LoadBlock, Occurrence } from './handlers.ts';
import type { Peer, RpcAnswer } from './peer.ts';
import { LinkProblem, toRpcError } from './problems.ts';
import { runAction, type RunDeps, type RunParams } from './runs.ts';

interface ServeDeps extends RunDeps {
  readonly app: App;
  readonly runs: AnswerCache;
  readonly replies: AnswerCache;
  readonly isStopping: () => boolean;
  /** Called when a run was answered whose connection has ended meanwhile. */
  readonly onLateAnswer: () => void;
}

/** Methods that act, or whose answer does. An instance that is stopping refuses them, and goes on serving the others, which read. */
export const actingMethods: ReadonlySet<string> = new Set<ServiceMethod>(['action.run', 'triage.answer', 'reply.send']);

/** How long handlers of `triage.answer` and `reply.send` may run before their signal aborts: longer than those of reads. */
const effectTimeoutMs = 60_000;

type Params<M extends ServiceMethod> = ServiceCalls[M]['params'];
type Served = {
  readonly [M in Exclude<ServiceMethod, 'action.run'>]: (params: Params<M>, signal: AbortSignal) => unknown;
};

/** The service calls something that this version of the app does not declare. */
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
      const declared = (await app.resources.get(resource)?.available?.({ ids, signal })) ?? {};
      return ids
        .filter((id) => Object.hasOwn(declared, id))
        .map((id) => ({
          resource,
          id,
          actions: Object.entries(declared[id]?.defaults ?? {}).flatMap(([action, defaults]) =>
            defaults === undefined ? [] : [{ action, defaults }],
          ),
          unavailable: Object.entries(declared[id]?.unavailable ?? {}).flatMap(([action, reason]) =>
            reason === undefined ? [] : [{ action, reason }],
          ),
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
  const found: Json & { readonly load?: LoadBlock } = requireDeclared(
    app.pages.get(page)?.blocks[place],
    `block ${String(place)} of a page ${page}`,
  );
  const { load, source: _source, query: _query, ...declared } = found;
  const content = await requireDeclared(
    load,
    `handler for block ${String(place)} of the page ${page}`,
  )({ params, actor, signal });
  return { block: { ...declared, ...content } };
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service sends whole items
const toItem = (item: Json): Item => item as Item;

/** Returns null also for a service that sends none. */
const toOccurrence = (occurrence: Json | null | undefined): Occurrence | null =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service sends whole occurrences
  (occurrence ?? null) as Occurrence | null;

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
    'item.blocks': (params, signal) => {
      const item = toItem(params.item);
      const latestOccurrence = toOccurrence(params.latestOccurrence);
      return (
        app.inboxes.get(item.inbox)?.detail?.({ item, latestOccurrence, signal }) ?? {
          blocks: [],
          suggestedActions: [],
        }
      );
    },
    'record.blocks': ({ resource, id }, signal) =>
      app.resources.get(resource)?.detail?.({ id, signal }) ?? { blocks: [] },
    'triage.answer': async (params, signal) => {
      const item = toItem(params.item);
      return (await app.triage.get(item.inbox)?.answer?.({ item, signal })) ?? null;
    },
    'reply.send': async (params, signal) => {
      const item = toItem(params.item);
      const reply = app.inboxes.get(item.inbox)?.reply;
      await requireDeclared(
        reply?.via === 'app' ? reply.send : undefined,
        `reply handler for the inbox ${item.inbox}`,
      )({ ...params, item, signal });
      return null;
    },
  };
};

/** Returns the function that answers one request. It never rejects: errors become JSON-RPC errors. */
export const createRequestHandler = (
  parts: ServeDeps,
): ((method: string, params: unknown, peer: Peer) => Promise<RpcAnswer>) => {
  const { app, runs, replies, limiter, onProblem, isStopping } = parts;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service sends the params of the method that it names
  const served = new Map(Object.entries(createMethodTable(app))) as Map<
    string,
    (params: unknown, signal: AbortSignal) => unknown
  >;
  let deliveries = 0;
  /** `stopping` makes the service take the call for not sent; a service that does not know it calls again after a while. */
  const stoppingRefusal: RpcAnswer = {
    error: { code: rpcCodes.actionFailed, message: 'The app is stopping.', data: { retryable: true, stopping: true } },
  };

  const read = async (method: string, params: unknown): Promise<RpcAnswer> => {
    const handler = served.get(method);
    if (handler === undefined)
      return { error: { code: rpcCodes.methodNotFound, message: `There is no method ${method}.` } };
    const deadline = actingMethods.has(method) ? effectTimeoutMs : linkLimits.readMs;
    try {
      return { result: (await limiter.run(deadline, async (signal) => handler(params, signal))) ?? null };
    } catch (error) {
      if (error instanceof NotDeclared) return { error: { code: rpcCodes.invalidParams, message: error.message } };
      const answered = toRpcError(error);
      if (!answered.expected)
        onProblem(new LinkProblem('handler', `The handler of ${method} failed.`, { cause: error }));
      return { error: answered.error };
    }
  };

  return async (method, params, peer) => {
    if (method === 'action.run') {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service sends the params of the method that it names
      const run = params as RunParams;
      if (isStopping() && !runs.has(run.run)) return stoppingRefusal;
      const answer = await runs.answer(run.run, run.attempt, () => runAction(app.actions.get(run.action), run, parts));
      if (peer.ended) parts.onLateAnswer();
      return answer;
    }
    if (method !== 'reply.send')
      return isStopping() && actingMethods.has(method) ? stoppingRefusal : read(method, params);
    // The counter stands for the attempt, which the service does not send: a delivery that failed is sent once more, one that succeeded never.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service sends the params of the method that it names
    const { delivery } = params as Params<'reply.send'>;
    if (isStopping() && !replies.has(delivery)) return stoppingRefusal;
    const answer = await replies.answer(delivery, ++deliveries, () => read(method, params));
    replies.settle(delivery);
    return answer;
  };
};
