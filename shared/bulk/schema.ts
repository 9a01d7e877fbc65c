/** Bulks as they are asked for and answered; a request is checked by the schema of the operation that it names. */
import { Fault, invalid } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import { bulkOutcomes, bulkStatuses } from '../catalogue/states.ts';
import { answer, by, closed, id, lookupId, name, nullable, Type, type TSchema } from '../platform/core/schema.ts';
import { compile, invalidDetails } from '../platform/core/validate.ts';
import { repeatables } from '../items/operations/registry.ts';

/** What a bulk does, as it is stored and answered: `type` and the members that belong to it. */
export type BulkOperation = { readonly type: string } & Readonly<Record<string, unknown>>;

export interface ActionOperation extends BulkOperation {
  readonly action: string;
  readonly input?: object;
  readonly confirmed?: boolean;
}

export interface BulkRequest {
  /** Each once, in the order in which they were first named. */
  readonly ids: readonly string[];
  readonly operation: BulkOperation;
  readonly dryRun: boolean;
}

const action = closed({
  type: Type.Literal('action'),
  action: name('The action, run on each item’s record.'),
  input: Type.Optional(Type.Object({}, { description: 'Its input, the same for each.' })),
  confirmed: Type.Optional(Type.Boolean({ description: 'Must be true for an action with a danger level.' })),
});

const ids = Type.Array(lookupId('An item’s id.'), { minItems: 1, maxItems: limits.bulkIds, description: 'The items; duplicates count once.' });
const dryRun = Type.Optional(Type.Boolean({ description: 'true: only say what would happen.' }));

/** What documents and generated clients read; `checkBulk` says the same, with details of the named operation alone. */
export const bulkBody = closed({
  ids,
  operation: Type.Union([
    ...[...repeatables].map(([type, { schema }]): TSchema => closed({ type: Type.Literal(type), ...schema.properties })),
    action,
  ], { description: 'What to do to each item, as in the call for one item.' }),
  dryRun,
});

const types = [...repeatables.keys(), 'action'];
const envelope = compile(closed({
  ids,
  operation: Type.Object({ type: Type.Union(types.map((type) => Type.Literal(type))) }),
  dryRun,
}));
const checkAction = compile(action, 'operation.');

/** What is wrong with the operation's members is told with their place in the request. */
const below = <T>(place: string, check: () => T): T => {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'invalid') throw error;
    throw invalidDetails((error.extra.details ?? []).map(({ path, message }) => ({ path: `${place}.${path}`, message })));
  }
};

const checkOperation = (operation: BulkOperation, at: number): BulkOperation => {
  const { type, ...members } = operation;
  const known = repeatables.get(type);
  if (known === undefined) return checkAction(operation) as BulkOperation;
  return { type, ...below('operation', () => known.check(members, at)) };
};

/** The number first: half a million ids, each with its own fault, would hold up everybody else. */
const countIds = (body: unknown): void => {
  const given = (body as { ids?: unknown }).ids;
  if (Array.isArray(given) && given.length > limits.bulkIds) throw invalid('ids', `must name at most ${String(limits.bulkIds)}`);
};

/** Throws `400 invalid` naming each offending path. */
export const checkBulk = (body: unknown, at: number): BulkRequest => {
  countIds(body);
  const given = envelope(body);
  const operation = checkOperation(given.operation as BulkOperation, at);
  return { ids: [...new Set(given.ids)], operation, dryRun: given.dryRun ?? false };
};

const count = (description: string) => Type.Integer({ minimum: 0, description });
const moment = (description: string) => nullable(Type.Integer({ description: `${description} (milliseconds since 1970 UTC)` }));

export const bulkSchema = answer({
  id: id('blk', 'The bulk.'),
  status: Type.Union(bulkStatuses.map((status) => Type.Literal(status)), { description: 'done and cancelled are final.' }),
  operation: Type.Object({ type: Type.String() }, { description: 'As it was asked for; of an undo: type undo and the bulk that it takes back.' }),
  total: count('How many items.'),
  done: count('How many have a result.'),
  changed: count('How many were changed.'),
  unchanged: count('How many already were as asked.'),
  failed: count('How many have any other outcome.'),
  startedAt: moment('When the first item was begun'),
  finishedAt: moment('When the last item had its result'),
  by,
});

export const bulkAnswer = answer({ bulk: bulkSchema });
export const acceptedBulkAnswer = Type.Union([
  bulkAnswer,
  answer({ pending: Type.Literal(true, { description: 'A person has to approve it first.' }), approval: id('apr', 'The approval.'), bulk: bulkSchema }),
]);

export const dryRunAnswer = answer({
  bulk: Type.Null(),
  wouldChange: count('Items that would change.'),
  unchanged: count('Items that already are as asked.'),
  forbidden: count('Items that you see but may not do this to.'),
  notFound: count('Ids that you see no item of.'),
  failed: count('Items for which it would fail.'),
});

export const outcomeSchema = Type.Union(bulkOutcomes.map((outcome) => Type.Literal(outcome)), { description: 'Only results with this outcome.' });

export const resultSchema = answer({
  id: Type.String({ description: 'The id as it was given.' }),
  outcome: Type.Union(bulkOutcomes.map((outcome) => Type.Literal(outcome)), { description: 'What became of it.' }),
  error: nullable(Type.String({ description: 'Why not, for a person.' })),
  code: nullable(Type.String({ description: 'The error code that a call for this one item would have had; of an action’s run that was begun, failed, unknown or expired; cancelled where none was tried.' })),
});
