/** Makes the endpoints that change one item from rows that name an operation, which `perform` applies. For itemChanges.ts. */
import { pendingResponse } from '../../shared/approvals/schema.ts';
import { fault, Fault, invalidAt } from '../../shared/catalogue/errors.ts';
import type { Item } from '../../shared/items/model.ts';
import type { ItemOperation } from '../../shared/items/operation.ts';
import { tryItemChange } from '../../shared/items/perform/dryRun.ts';
import { performOperation, type ItemOutcome } from '../../shared/items/perform/perform.ts';
import { itemEtag, itemJson } from '../../shared/items/present.ts';
import {
  changedItemResponse,
  entryResponse,
  itemDryRunResponse,
  replyDryRunResponse,
  replyResponse,
  updatedItemResponse,
} from '../../shared/items/schema.ts';
import { pendingResponseBody, requestItemChange } from '../../shared/items/supervised.ts';
import { insertSavedResponse } from '../../shared/platform/journal/changeWriter.ts';
import type { SavedResponse } from '../../shared/platform/journal/idempotency.ts';
import { isObject } from '../../shared/platform/json/jsonLimits.ts';
import { Type, type TObject, type TSchema, type Warning } from '../../shared/platform/json/schema.ts';
import { writeEndpoint, type Endpoint, type EndpointCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';

/** The members of a response besides the item. */
const answers = {
  changed: changedItemResponse,
  changedEntries: updatedItemResponse,
  entry: entryResponse,
  reply: replyResponse,
} as const;

interface ChangeRow<I> {
  /** `post` unless given. */
  readonly method?: 'post' | 'patch';
  /** Behind `/items/:id`. */
  readonly path: string;
  readonly operation: ItemOperation<I>;
  readonly summary: string;
  readonly body: unknown;
  /** 200 unless given. */
  readonly status?: 201 | 202;
  /** `changed` unless given. */
  readonly answer?: keyof typeof answers;
  readonly app?: boolean;
  /** Whether `dryRun` may be given, and the members that the input may then lack. */
  readonly dryRun?: true | Readonly<Record<string, unknown>>;
  /** Returns what tells the recipient and the subject of a reply, as the item then is. */
  readonly tellReply?: (call: EndpointCall, input: I) => Promise<(item: Item) => ReplyTold>;
  /** Throws the fault of an input that the operation alone can't check. */
  readonly require?: (call: EndpointCall, input: I) => Promise<void>;
  /** Returns the operation in place of `operation` for an input that only what happened before makes one of. */
  readonly replace?: (call: EndpointCall, input: I) => Promise<ItemOperation<I> | null>;
}

interface ReplyTold {
  readonly to: string | null;
  readonly subject: string;
  readonly warnings: readonly Warning[];
}

interface ChangeBody<I> {
  readonly input: I;
  readonly dryRun: boolean;
}

type ChangeCall<I> = EndpointCall<unknown, ChangeBody<I>>;

const exampleItem = 'itm_01jd0000000000000000000000';
const dryRunSchema = Type.Optional(Type.Boolean({ description: 'true: only say what would happen.' }));

type PerformedOutcome = Exclude<ItemOutcome, { kind: 'fault' }>;

const bodyOf = (
  outcome: PerformedOutcome,
  call: EndpointCall,
  answer: keyof typeof answers,
  told: ReplyTold | undefined,
): string => {
  const item = itemJson(outcome.item, call.caller.principal.access);
  const entries = outcome.kind === 'changed' ? outcome.entries : [];
  const changed = `"changed":${String(outcome.kind === 'changed')}`;
  const entry = `"entry":${JSON.stringify(entries[0] ?? null)}`;
  const all = `"entries":${JSON.stringify(entries)}`;
  const rest = { changed, entry, changedEntries: `${changed},${all}`, reply: `${entry},${all}` };
  const recipient =
    told === undefined ? '' : `,"to":${JSON.stringify(told.to)},"warnings":${JSON.stringify(told.warnings)}`;
  return `{"item":${item},${rest[answer]}${recipient}}`;
};

/** Adds the item as it is, as far as the role sees it, to a version conflict. */
const withVisibleItem = (failure: Fault, call: EndpointCall): Fault => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is used only for a version conflict, which has the item
  const current = failure.extra.body?.['current'] as Item | undefined;
  if (failure.code !== 'version_conflict' || current === undefined) return failure;
  const visible: unknown = JSON.parse(itemJson(current, call.caller.principal.access));
  return fault('version_conflict', failure.message, {
    body: { current: visible },
    headers: { etag: itemEtag(current) },
  });
};

/** Saves `422 action_failed` under the idempotency key; every other fault leaves the key unused. */
const saveRefusal = async (call: EndpointCall, failure: Fault): Promise<Fault> => {
  if (failure.code !== 'action_failed') return failure;
  const saved = call.save(failure.status, JSON.stringify({ error: failure.message, code: failure.code }));
  if (saved !== null) await insertSavedResponse(call.deps.db, saved, call.deps.clock.now());
  return failure;
};

/** Requests the approval of a supervised agent's change. */
const requestSupervisedChange = async <I>(
  call: ChangeCall<I>,
  { operation, answer = 'changed' }: ChangeRow<I>,
): Promise<ApiResponse> => {
  const { deps, caller, params, body, ifMatch, save } = call;
  try {
    const asked = await requestItemChange(
      deps,
      caller,
      { operation, id: params['id'] ?? '', input: body.input, ifMatch },
      save,
    );
    if ('approval' in asked) return { status: 202, body: pendingResponseBody(asked.approval) };
    const { unchanged: item } = asked;
    return {
      status: 200,
      body: bodyOf({ id: item.id, kind: 'unchanged', item }, call, answer, undefined),
      etag: itemEtag(item),
      items: true,
    };
  } catch (error) {
    throw error instanceof Fault ? withVisibleItem(error, call) : error;
  }
};

/** Responds with what the change would do, without doing it. */
const respondDryRun = async <I>(
  call: ChangeCall<I>,
  { operation }: ChangeRow<I>,
  tellReply: ((item: Item) => ReplyTold) | undefined,
): Promise<ApiResponse> => {
  const { deps, caller, params, body, ifMatch, save } = call;
  const tried = await tryItemChange(deps, { caller, operation, input: body.input, ifMatch }, params['id'] ?? '');
  if (tried instanceof Fault) throw withVisibleItem(tried, call);
  const would = !tried.changed ? 'nothing' : caller.principal.mode === 'supervised' ? 'pend' : 'change';
  const parts = JSON.stringify(tried.entries.map(({ type, data }) => ({ type, data })));
  const text =
    tellReply === undefined
      ? `{"dryRun":true,"would":"${would}","item":${itemJson(tried.item, caller.principal.access)},"changed":${String(tried.changed)},"entries":${parts}}`
      : JSON.stringify({ dryRun: true, would, ...tellReply(tried.item) });
  const saved = save(200, text);
  if (saved !== null) await insertSavedResponse(deps.db, saved, deps.clock.now());
  return { status: 200, body: text, items: tellReply === undefined };
};

const changeItem = async <I>(call: ChangeCall<I>, declared: ChangeRow<I>): Promise<ApiResponse> => {
  const { status = 200, answer = 'changed' } = declared;
  const { deps, caller, params, body, ifMatch } = call;
  await declared.require?.(call, body.input);
  const operation = (await declared.replace?.(call, body.input)) ?? declared.operation;
  const row = { ...declared, operation };
  const tellReply = await declared.tellReply?.(call, body.input);
  if (body.dryRun) return respondDryRun(call, row, tellReply);
  if (caller.principal.mode === 'supervised') return requestSupervisedChange(call, row);
  const [outcome] = await performOperation(deps, caller, operation, [params['id'] ?? ''], body.input, {
    ...(ifMatch === undefined ? {} : { ifMatch }),
    save: (done): SavedResponse | null =>
      done.kind === 'fault'
        ? null
        : call.save(status, bodyOf(done, call, answer, tellReply?.(done.item)), itemEtag(done.item)),
  });
  if (outcome === undefined) throw fault('not_found');
  if (outcome.kind === 'fault') throw await saveRefusal(call, withVisibleItem(outcome.fault, call));
  return {
    status,
    body: bodyOf(outcome, call, answer, tellReply?.(outcome.item)),
    etag: itemEtag(outcome.item),
    items: true,
  };
};

/** Returns the body without `dryRun`, and its value. Throws `invalid` for one that is not a boolean. */
const splitDryRun = (body: unknown): { rest: unknown; dryRun: boolean } => {
  if (!isObject(body) || body['dryRun'] === undefined) return { rest: body, dryRun: false };
  const { dryRun, ...rest } = body;
  if (typeof dryRun !== 'boolean') throw invalidAt('dryRun', 'must be boolean');
  return { rest, dryRun };
};

const bodySchema = <I>({ operation, dryRun }: ChangeRow<I>): TSchema => {
  if (dryRun === undefined) return operation.schema;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- operations take objects
  const { properties } = operation.schema as TObject;
  return { ...operation.schema, properties: { ...properties, dryRun: dryRunSchema } };
};

export const changeEndpoint = <I>(row: ChangeRow<I>): Endpoint => {
  const { operation, status = 200, answer = 'changed', method = 'post' } = row;
  const answered: TSchema = answers[answer];
  return writeEndpoint<ChangeBody<I>>({
    method,
    path: `/items/:id${row.path}`,
    name: operation.name,
    summary: row.summary,
    tag: 'Items',
    allowsApp: row.app ?? false,
    conditional: true,
    body: bodySchema(row),
    responses: {
      ...(row.tellReply === undefined ? {} : { 200: replyDryRunResponse }),
      [status]: row.dryRun === true ? Type.Union([answered, itemDryRunResponse]) : answered,
      202: status === 202 ? Type.Union([answered, pendingResponse]) : pendingResponse,
    },
    example: { params: { id: exampleItem }, body: row.body },
    audit: { verb: operation.name, target: ({ params }) => ({ type: 'item', id: params['id'] ?? null }) },
    check: (body, at) => {
      const { rest, dryRun } = row.dryRun === undefined ? { rest: body, dryRun: false } : splitDryRun(body);
      const lacking = dryRun && typeof row.dryRun === 'object' && isObject(rest) ? { ...row.dryRun, ...rest } : rest;
      return { input: operation.check(lacking, at), dryRun };
    },
    handle: (call) => changeItem(call, row),
  });
};
