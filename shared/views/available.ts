/** Which actions apply to records right now, with what to begin their input with (`POST /available`, record pages). */
import type { Caller } from '../access/principal.ts';
import { linkLimits } from '../applink/protocol.ts';
import { fillTemplate, holds } from '../platform/core/conditions.ts';
import { isObject, jsonProblem } from '../platform/core/guard.ts';
import type { ViewDeps } from './deps.ts';
import type { Action, Danger } from '../environments/actions.ts';
import { foundRecords, type FullRecord } from '../records/read.ts';

export interface AvailableAction {
  readonly action: string;
  readonly label: string;
  readonly danger: Danger;
  readonly approval: boolean;
  readonly background: boolean;
  readonly freshSignIn: boolean;
  readonly input: object;
  readonly defaults: Readonly<Record<string, unknown>>;
}

export interface Ref {
  readonly resource: string;
  readonly id: string;
}

export interface Available extends Ref {
  readonly actions: AvailableAction[];
  readonly unavailable: { action: string; reason: string }[];
}

/** What the app says of one record, as far as it can be used. */
interface Said {
  readonly defaults: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly reasons: ReadonlyMap<string, string>;
}

const silent: Said = { defaults: new Map(), reasons: new Map() };
const reasonMax = 500;
/** Shorter than a read may take: without the app the declaration answers. */
const askMs = linkLimits.readMs / 2;

const objectsOf = (value: unknown): Readonly<Record<string, unknown>>[] => (Array.isArray(value) ? value.filter(isObject) : []);

const saidOf = (entry: Readonly<Record<string, unknown>>): Said => ({
  defaults: new Map(objectsOf(entry['actions']).flatMap(({ action, defaults }) => (typeof action === 'string' && isObject(defaults) ? [[action, defaults]] : []))),
  reasons: new Map(objectsOf(entry['unavailable']).flatMap(({ action, reason }) => (typeof action === 'string' && typeof reason === 'string' ? [[action, reason.slice(0, reasonMax).toWellFormed()]] : []))),
});

const keyOf = ({ resource, id }: Ref): string => `${resource}/${id}`;

/** Asks the app about records of which some action is declared by an instance that is there; what isn't valid is as if unsaid. */
const ask = async ({ link }: ViewDeps, env: number, refs: readonly Ref[], actions: ReadonlyMap<string, readonly Action[]>): Promise<ReadonlyMap<string, Said>> => {
  const [first] = refs.flatMap(({ resource }) => actions.get(resource) ?? []);
  if (first === undefined) return new Map();
  const asked = refs.filter(({ resource }) => (actions.get(resource) ?? []).length > 0).map(({ resource, id }) => ({ resource, id }));
  const outcome = await link.call(env, 'action.available', { refs: asked }, { declares: { kind: 'action', name: first.name }, timeoutMs: askMs });
  if (outcome.kind !== 'answer' || !isObject(outcome.result) || jsonProblem(outcome.result) !== null) return new Map();
  return new Map(objectsOf(outcome.result.available).flatMap((entry) =>
    typeof entry['resource'] === 'string' && typeof entry['id'] === 'string' ? [[keyOf({ resource: entry['resource'], id: entry['id'] }), saidOf(entry)]] : []));
};

const describe = ({ name, label, danger, approval, background, freshSignIn, input, defaults }: Action, record: FullRecord, said: Said): AvailableAction => ({
  action: name, label, danger, approval, background, freshSignIn, input,
  defaults: { ...(fillTemplate(defaults, { record }) as Record<string, unknown>), ...said.defaults.get(name) },
});

const availableOf = (record: FullRecord, actions: readonly Action[], said: Said): Available => {
  const found: Available = { resource: record.resource, id: record.id, actions: [], unavailable: [] };
  for (const action of actions) {
    const reason = said.reasons.get(action.name);
    if (action.when !== null && !holds(action.when, { record })) found.unavailable.push({ action: action.name, reason: `${action.label} does not apply to this ${record.resource} now.` });
    else if (reason !== undefined) found.unavailable.push({ action: action.name, reason });
    else found.actions.push(describe(action, record, said));
  }
  return found;
};

/** For each of `refs`, in their order; of what the role can't see and of what doesn't exist the same empty entry. */
export const availableActions = async (deps: ViewDeps, { env, principal: { access } }: Caller, refs: readonly Ref[]): Promise<Available[]> => {
  const seen = refs.filter(({ resource }) => access.sees('resource', resource) && env.definition.resources.has(resource));
  const byResource = new Map<string, Action[]>();
  for (const action of env.definition.actions.values()) {
    if (action.resource === null || !access.can('action', action.name, 'run')) continue;
    byResource.set(action.resource, [...(byResource.get(action.resource) ?? []), action]);
  }
  const records = new Map((await foundRecords(deps, env, seen)).map((record) => [keyOf(record), record]));
  const said = await ask(deps, env.id, [...records.values()], byResource);
  return refs.map((ref) => {
    const record = records.get(keyOf(ref));
    if (record === undefined) return { resource: ref.resource, id: ref.id, actions: [], unavailable: [] };
    return availableOf(record, byResource.get(ref.resource) ?? [], said.get(keyOf(ref)) ?? silent);
  });
};
