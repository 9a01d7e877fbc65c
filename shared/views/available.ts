/** Which actions apply to records right now, with what to begin their input with (`POST /available`, record pages). */
import type { Caller } from '../access/principal.ts';
import { linkLimits } from '../applink/protocol.ts';
import { fillTemplate, evaluateCondition } from '../platform/core/conditions.ts';
import { isObject, jsonProblem } from '../platform/core/jsonLimits.ts';
import type { ViewDeps } from './deps.ts';
import type { ActionDefinition, DangerLevel } from '../environments/actions.ts';
import { findRecordsAnywhere, type FullRecord } from '../records/read.ts';

export interface AvailableAction {
  readonly action: string;
  readonly label: string;
  readonly danger: DangerLevel;
  readonly approval: boolean;
  readonly background: boolean;
  readonly freshSignIn: boolean;
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

/** What the app says of one record, as far as it can be used. */
interface AppAvailability {
  readonly defaults: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly reasons: ReadonlyMap<string, string>;
}

const noAvailability: AppAvailability = { defaults: new Map(), reasons: new Map() };
const reasonMax = 500;
/** Shorter than a read may take: without the app the declaration answers. */
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

/** Asks the app about records of which some action is declared by an instance that is there; what isn't valid is as if unsaid. */
const fetchAvailability = async (
  { link }: ViewDeps,
  env: number,
  refs: readonly AvailabilityRef[],
  actions: ReadonlyMap<string, readonly ActionDefinition[]>,
): Promise<ReadonlyMap<string, AppAvailability>> => {
  const [first] = refs.flatMap(({ resource }) => actions.get(resource) ?? []);
  if (first === undefined) return new Map();
  const asked = refs
    .filter(({ resource }) => (actions.get(resource) ?? []).length > 0)
    .map(({ resource, id }) => ({ resource, id }));
  const outcome = await link.call(
    env,
    'action.available',
    { refs: asked },
    { declares: { kind: 'action', name: first.name }, timeoutMs: availabilityTimeoutMs },
  );
  if (outcome.kind !== 'answer' || !isObject(outcome.result) || jsonProblem(outcome.result) !== null) return new Map();
  return new Map(
    objectsOf(outcome.result.available).flatMap((entry) =>
      typeof entry['resource'] === 'string' && typeof entry['id'] === 'string'
        ? [[keyOf({ resource: entry['resource'], id: entry['id'] }), parseAvailability(entry)]]
        : [],
    ),
  );
};

const describeAction = (
  { name, label, danger, approval, background, freshSignIn, input, defaults }: ActionDefinition,
  record: FullRecord,
  said: AppAvailability,
): AvailableAction => ({
  action: name,
  label,
  danger,
  approval,
  background,
  freshSignIn,
  input,
  defaults: { ...(fillTemplate(defaults, { record }) as Record<string, unknown>), ...said.defaults.get(name) },
});

const buildAvailability = (
  record: FullRecord,
  actions: readonly ActionDefinition[],
  said: AppAvailability,
): RecordAvailability => {
  const found: RecordAvailability = { resource: record.resource, id: record.id, actions: [], unavailable: [] };
  for (const action of actions) {
    const reason = said.reasons.get(action.name);
    if (action.when !== null && !evaluateCondition(action.when, { record }))
      found.unavailable.push({
        action: action.name,
        reason: `${action.label} does not apply to this ${record.resource} now.`,
      });
    else if (reason !== undefined) found.unavailable.push({ action: action.name, reason });
    else found.actions.push(describeAction(action, record, said));
  }
  return found;
};

/** For each of `refs`, in their order; of what the role can't see and of what doesn't exist the same empty entry. */
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
  const said = await fetchAvailability(deps, env.id, [...records.values()], byResource);
  return refs.map((ref) => {
    const record = records.get(keyOf(ref));
    if (record === undefined) return { resource: ref.resource, id: ref.id, actions: [], unavailable: [] };
    return buildAvailability(record, byResource.get(ref.resource) ?? [], said.get(keyOf(ref)) ?? noAvailability);
  });
};
