/** Reads the actions that apply to records now, with defaults for their input. For `POST /available` and record pages. */
import type { Caller } from '../accounts/access/principal.ts';
import { linkLimits } from '../app/link/protocol.ts';
import type { ActionDefinition, DangerLevel } from '../app/manifest/actions.ts';
import { fault } from '../catalogue/errors.ts';
import { fillTemplate, mayHold } from '../platform/conditions/conditions.ts';
import { isObject } from '../platform/json/jsonLimits.ts';
import { createTurns, type InTurn } from '../platform/turns/turns.ts';
import { findRecordsAnywhere, type FullRecord } from '../records/read.ts';
import { inapplicableReason } from '../runs/authorizeAction.ts';
import type { ViewDeps } from './deps.ts';

export interface AvailableAction {
  readonly action: string;
  readonly label: string;
  readonly description: string | null;
  readonly danger: DangerLevel;
  readonly approval: boolean;
  readonly background: boolean;
  readonly freshSignIn: boolean;
  readonly reasonRequired: boolean;
  readonly reversible: boolean | null;
  readonly input: object;
  readonly defaults: Readonly<Record<string, unknown>>;
}

interface AvailabilityRef {
  readonly resource: string;
  readonly id: string;
}

interface RecordAvailability extends AvailabilityRef {
  readonly actions: AvailableAction[];
  readonly unavailable: { action: string; reason: string }[];
}

/** The valid parts of the app's answer about one record. */
interface AppAvailability {
  readonly defaults: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly reasons: ReadonlyMap<string, string>;
}

const noAvailability: AppAvailability = { defaults: new Map(), reasons: new Map() };
const reasonMax = 500;
/** Milliseconds; shorter than for reads, as the declaration alone gives an answer too. */
const availabilityTimeoutMs = linkLimits.readMs / 2;

const objectsOf = (value: unknown): Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

const parseAvailability = (entry: Readonly<Record<string, unknown>>): AppAvailability => ({
  defaults: new Map(
    objectsOf(entry['actions']).flatMap(({ action, defaults }) =>
      typeof action === 'string' && isObject(defaults) ? [[action, defaults]] : [],
    ),
  ),
  reasons: new Map(
    objectsOf(entry['unavailable']).flatMap(({ action, reason }) =>
      typeof action === 'string' && typeof reason === 'string'
        ? [[action, reason.slice(0, reasonMax).toWellFormed()]]
        : [],
    ),
  ),
});

const keyOf = ({ resource, id }: AvailabilityRef): string => `${resource}/${id}`;

/** Calls the app for records that have declared actions, and returns its answer by record. Invalid parts, and a failed call, count as no answer. */
const fetchAvailability = async (
  { link }: ViewDeps,
  envId: number,
  refs: readonly AvailabilityRef[],
  actions: ReadonlyMap<string, readonly ActionDefinition[]>,
): Promise<ReadonlyMap<string, AppAvailability>> => {
  const [first] = refs.flatMap(({ resource }) => actions.get(resource) ?? []);
  if (first === undefined) return new Map();
  const acting = refs
    .filter(({ resource }) => (actions.get(resource) ?? []).length > 0)
    .map(({ resource, id }) => ({ resource, id }));
  const outcome = await link.call(
    envId,
    'action.available',
    { refs: acting },
    { declares: { kind: 'action', name: first.name }, timeoutMs: availabilityTimeoutMs },
  );
  if (outcome.kind !== 'answer' || !isObject(outcome.result)) return new Map();
  return new Map(
    objectsOf(outcome.result.available).flatMap((entry) =>
      typeof entry['resource'] === 'string' && typeof entry['id'] === 'string'
        ? [[keyOf({ resource: entry['resource'], id: entry['id'] }), parseAvailability(entry)]]
        : [],
    ),
  );
};

/** Returns an action as it applies to a record; without defaults where `answered` is null. */
const describeAction = (
  action: ActionDefinition,
  record: FullRecord,
  answered: AppAvailability | null,
): AvailableAction => {
  const { name, label, description, danger, approval, background, freshSignIn, reasonRequired, reversible } = action;
  const { input, defaults } = action;
  const declared = answered === null ? null : fillTemplate(defaults, { record });
  return {
    action: name,
    label,
    description,
    danger,
    approval,
    background,
    freshSignIn,
    reasonRequired,
    reversible,
    input,
    defaults: { ...(isObject(declared) ? declared : {}), ...answered?.defaults.get(name) },
  };
};

/**
 * Characters of an answer after which no further record is described, and of one record after which actions have no defaults: its
 * schemas of inputs are no larger than a manifest.
 */
const answerMax = 4 * 1024 * 1024;

/** Sizes of the schemas of inputs, which stand in the answer of each record. */
const inputSizes = new WeakMap<ActionDefinition, number>();

const sizeOf = (action: ActionDefinition, { defaults }: AvailableAction): number => {
  const size = inputSizes.get(action) ?? JSON.stringify(action.input).length;
  inputSizes.set(action, size);
  return size + JSON.stringify(defaults).length;
};

interface Described {
  readonly entry: RecordAvailability;
  /** Characters that it takes in the answer, about. */
  readonly size: number;
}

const buildAvailability = async (
  record: FullRecord,
  actions: readonly ActionDefinition[],
  { answered, inTurn }: { readonly answered: AppAvailability; readonly inTurn: InTurn },
): Promise<Described> => {
  const found: RecordAvailability = { resource: record.resource, id: record.id, actions: [], unavailable: [] };
  let size = 0;
  for (const action of actions)
    await inTurn(() => {
      const reason =
        // What the input will be is not known: an action that some input may be given for applies.
        action.when !== null && !mayHold(action.when, { record }, 'input')
          ? inapplicableReason(action)
          : answered.reasons.get(action.name);
      if (reason !== undefined) {
        found.unavailable.push({ action: action.name, reason });
        return;
      }
      const described = describeAction(action, record, size > answerMax ? null : answered);
      found.actions.push(described);
      size += sizeOf(action, described);
    });
  return { entry: found, size };
};

/**
 * Returns an entry for each of `refs`, in their order. Records that the role can't see, and those that don't exist, have the same
 * empty entry. Throws `too_broad` where the entries of several are too large for one answer, or take too long to make.
 */
export const readAvailableActions = async (
  deps: ViewDeps,
  { env, principal: { access } }: Caller,
  refs: readonly AvailabilityRef[],
): Promise<RecordAvailability[]> => {
  const seen = refs.filter(
    ({ resource }) => access.sees('resource', resource) && env.definition.resources.has(resource),
  );
  const byResource = new Map<string, ActionDefinition[]>();
  for (const action of env.definition.actions.values()) {
    if (action.resource === null || !access.can('action', action.name, 'run')) continue;
    byResource.set(action.resource, [...(byResource.get(action.resource) ?? []), action]);
  }
  const records = new Map((await findRecordsAnywhere(deps, env, seen)).map((record) => [keyOf(record), record]));
  const answered = await fetchAvailability(deps, env.id, [...records.values()], byResource);
  const inTurn = createTurns({ path: 'refs', message: 'ask for fewer at a time' });
  const described = new Map<string, Described>();
  const entries: RecordAvailability[] = [];
  let size = 0;
  for (const [i, ref] of refs.entries()) {
    const key = keyOf(ref);
    const record = records.get(key);
    if (record === undefined) {
      entries.push({ resource: ref.resource, id: ref.id, actions: [], unavailable: [] });
      continue;
    }
    const own = { answered: answered.get(key) ?? noAvailability, inTurn };
    const known = described.get(key) ?? (await buildAvailability(record, byResource.get(ref.resource) ?? [], own));
    described.set(key, known);
    entries.push(known.entry);
    size += known.size;
    if (i > 0 && size > answerMax)
      throw fault('too_broad', 'What applies to so many records is too much for one answer.', {
        details: [{ path: 'refs', message: `is answered for ${String(i)} of these at a time` }],
      });
  }
  return entries;
};
