/** The functions that answer the service's calls by the app's handlers, but for runs. For requestHandler.ts, and tests of an app's handlers. */
import type { Json, ServiceCalls, ServiceMethod } from '../app/link/protocol.ts';
import type { App } from './defineApp.ts';
import type { Item, LoadBlock, Occurrence } from './handlers.ts';

type Params<M extends ServiceMethod> = ServiceCalls[M]['params'];
type Served = {
  readonly [M in Exclude<ServiceMethod, 'action.run'>]: (params: Params<M>, signal: AbortSignal) => unknown;
};

/** The service calls something that this version of the app does not declare. */
export class NotDeclared extends Error {}
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
  const { load, source, query: _query, ...declared } = found;
  const content = await requireDeclared(
    load,
    `handler for block ${String(place)} of the page ${page}${typeof source === 'string' ? `, as the service fills it (source: ${source})` : ''}`,
  )({ params, actor, signal });
  return { block: { ...declared, ...content } };
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service sends whole items
const toItem = (item: Json): Item => item as Item;

/** Returns null also for a service that sends none. */
const toOccurrence = (occurrence: Json | null | undefined): Occurrence | null =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service sends whole occurrences
  (occurrence ?? null) as Occurrence | null;

/** Returns the functions that answer the service's calls, but for runs. */
export const createMethodTable = (app: App): Served => {
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
