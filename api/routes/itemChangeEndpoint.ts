/** Makes the endpoints that change one item from rows that name an operation, which `perform` applies. For itemChanges.ts. */
import { pendingResponse } from '../../shared/approvals/schema.ts';
import { fault, Fault } from '../../shared/catalogue/errors.ts';
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
import { openSeen, seenSchema } from '../../shared/items/seen.ts';
import { pendingResponseBody, requestItemChange } from '../../shared/items/supervised.ts';
import { insertSavedResponse } from '../../shared/platform/journal/changeWriter.ts';
import type { SavedResponse } from '../../shared/platform/journal/idempotency.ts';
import { isObject } from '../../shared/platform/json/jsonLimits.ts';
import { Type, type TObject, type TProperties, type TSchema, type Warning } from '../../shared/platform/json/schema.ts';
import { compileCheck } from '../../shared/platform/json/validate.ts';
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
  /** Whether `seen` may be given, and an inbox may demand it. */
  readonly takesSeen?: boolean;
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
  readonly seen: string | undefined;
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
  const written = `"entries":${JSON.stringify(entries)}`;
  const rest = { changed, entry, changedEntries: `${changed},${written}`, reply: `${entry},${written}` };
  const said = [...(told?.warnings ?? []), ...outcome.warnings];
  const recipient = told === undefined ? '' : `,"to":${JSON.stringify(told.to)}`;
  const warned = told === undefined && said.length === 0 ? '' : `,"warnings":${JSON.stringify(said)}`;
  return `{"item":${item},${rest[answer]}${recipient}${warned}}`;
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
  { operation, answer = 'changed', takesSeen = false }: ChangeRow<I>,
): Promise<ApiResponse> => {
  const { deps, caller, params, body, ifMatch, save } = call;
  const id = params['id'] ?? '';
  const seen = takesSeen ? openSeen(caller, id, body.seen) : undefined;
  try {
    const asked = await requestItemChange(deps, caller, { operation, id, input: body.input, ifMatch, seen }, save);
    if ('approval' in asked) return { status: 202, body: pendingResponseBody(asked.approval) };
    const { unchanged: item } = asked;
    return {
      status: 200,
      body: bodyOf({ id: item.id, kind: 'unchanged', item, warnings: [] }, call, answer, undefined),
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
  { operation, takesSeen = false }: ChangeRow<I>,
  tellReply: ((item: Item) => ReplyTold) | undefined,
): Promise<ApiResponse> => {
  const { deps, caller, params, body, ifMatch, save } = call;
  const id = params['id'] ?? '';
  const seen = takesSeen ? openSeen(caller, id, body.seen) : undefined;
  const tried = await tryItemChange(deps, { caller, operation, input: body.input, ifMatch, seen }, id);
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
  const toBody = (done: PerformedOutcome): string => bodyOf(done, call, answer, tellReply?.(done.item));
  const [outcome] = await performOperation(deps, caller, operation, [params['id'] ?? ''], body.input, {
    ...(ifMatch === undefined ? {} : { ifMatch }),
    ...(row.takesSeen === true ? { seen: openSeen(caller, params['id'] ?? '', body.seen) } : {}),
    save: (done): SavedResponse | null =>
      done.kind === 'fault' ? null : call.save(status, toBody(done), itemEtag(done.item)),
  });
  if (outcome === undefined) throw fault('not_found');
  if (outcome.kind === 'fault') throw await saveRefusal(call, withVisibleItem(outcome.fault, call));
  return {
    status,
    body: toBody(outcome),
    etag: itemEtag(outcome.item),
    items: true,
  };
};

/** The members of a body that are no part of the operation's input. */
const besideSchemas = <I>({ dryRun, takesSeen = false }: ChangeRow<I>): TProperties => ({
  ...(dryRun === undefined ? {} : { dryRun: dryRunSchema }),
  ...(takesSeen ? { seen: seenSchema } : {}),
});

const bodySchema = <I>(row: ChangeRow<I>): TSchema => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- operations take objects
  const schema = row.operation.schema as TObject;
  return { ...schema, properties: { ...schema.properties, ...besideSchemas(row) } };
};

/** Returns the check of a body: what stands beside the input by its own schema, and the rest by the operation. Throws `invalid`. */
const bodyCheck = <I>(row: ChangeRow<I>): ((body: unknown, at: number) => ChangeBody<I>) => {
  const besides = besideSchemas(row);
  const checkBeside = compileCheck(Type.Object(besides));
  return (body, at) => {
    if (!isObject(body)) return { input: row.operation.check(body, at), dryRun: false, seen: undefined };
    const members = Object.entries(body);
    const pick = (isBeside: boolean): object =>
      Object.fromEntries(members.filter(([name]) => Object.hasOwn(besides, name) === isBeside));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schemas have checked them
    const { dryRun = false, seen } = checkBeside(pick(true)) as { dryRun?: boolean; seen?: string };
    const lacking = dryRun && typeof row.dryRun === 'object' ? { ...row.dryRun, ...pick(false) } : pick(false);
    return { input: row.operation.check(lacking, at), dryRun, seen };
  };
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
    check: bodyCheck(row),
    handle: (call) => changeItem(call, row),
  });
};
