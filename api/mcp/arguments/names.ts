/** Names of what the app declares, which models write by their labels (`Customer support` for `support`). Used by tool.ts. */
import type { Caller } from '../../../shared/accounts/access/principal.ts';
import { Fault } from '../../../shared/catalogue/errors.ts';
import { visibleInboxes } from '../../../shared/items/filters/filters.ts';
import { readItems } from '../../../shared/items/model.ts';
import { isObject } from '../../../shared/platform/json/jsonLimits.ts';
import { invalidFault } from '../../../shared/platform/json/validate.ts';
import { listNearest } from '../../../shared/platform/words/nearestNames.ts';
import { foldCase } from '../../../shared/platform/words/searchWords.ts';
import { canRunAction } from '../../../shared/runs/queries.ts';
import type { EndpointCall } from '../../endpoint.ts';
import { assignablePeople } from '../../routes/people.ts';
import { toList, toObject } from './coerce.ts';

type Members = Readonly<Record<string, unknown>>;

interface Named {
  readonly name: string;
  readonly label?: string | undefined;
}

/** What the caller sees of each kind, by the argument that names it. */
const namedBy: Readonly<Record<string, (caller: Caller) => readonly Named[]>> = {
  inbox: visibleInboxes,
  inboxes: visibleInboxes,
  state: (caller) => visibleInboxes(caller).flatMap(({ states }) => states),
  view: ({ env }) => [...env.definition.views.values()],
  resource: ({ env, principal }) =>
    [...env.definition.resources.values()].filter(({ name }) => principal.access.sees('resource', name)),
  action: (caller) =>
    [...caller.env.definition.actions.values()].filter(({ name, resource }) =>
      canRunAction(caller, { action: name, resource }),
    ),
  page: ({ env, principal }) =>
    [...env.definition.pages.values()].filter(({ name }) => principal.access.sees('page', name)),
};

/** Returns the one name that a text is, or is the label of; the text where there is none, or several: the endpoint refuses it. */
const nameOf = (given: unknown, known: readonly Named[]): unknown => {
  if (typeof given !== 'string' || known.some(({ name }) => name === given)) return given;
  const wanted = foldCase(given).trim();
  const found = new Set(
    known
      .filter(({ name, label }) => [name, label ?? name].some((one) => foldCase(one) === wanted))
      .map(({ name }) => name),
  );
  const [only] = found;
  return found.size === 1 ? only : given;
};

/** Members that have names of their own in them. */
const containers = ['query', 'operation', 'then'];

/** Returns the arguments with names in place of labels; what is no label of anything that the caller sees stays. */
export const resolveNames = (caller: Caller, given: Members): Members =>
  Object.fromEntries(
    Object.entries(given).map(([member, value]): [string, unknown] => {
      if (containers.includes(member)) {
        const inner = toObject(value);
        return [member, isObject(inner) ? resolveNames(caller, inner) : value];
      }
      const known = Object.hasOwn(namedBy, member) ? namedBy[member]?.(caller) : undefined;
      if (known === undefined) return [member, value];
      const isList = Array.isArray(value) || (typeof value === 'string' && value.includes(','));
      return [member, isList ? toList(value).map((one) => nameOf(one, known)) : nameOf(value, known)];
    }),
  );

/** An assignment as the caller has written it. */
interface Assignment {
  readonly id: unknown;
  readonly wanted: unknown;
}

/** Returns the sentence about a person who does not see the inbox of the item, with those who do. */
const describeCandidates = async (call: EndpointCall, { id, wanted }: Assignment): Promise<string | null> => {
  const { deps, caller } = call;
  if (typeof id !== 'string' || typeof wanted !== 'string') return null;
  const item = (await readItems(deps.db, caller.env.id, [id])).get(id);
  if (item === undefined || !caller.principal.access.can('inbox', item.inbox, 'assign')) return null;
  const names = assignablePeople(call, item.inbox).map(({ name }) => name);
  return names.length === 0
    ? `is nobody who can see ${item.inbox}; nobody can`
    : `is nobody who can see ${item.inbox}; those who can: ${listNearest(wanted, names)}`;
};

/** Resolves as `change` does; a fault about its assignee names those whom the item can be assigned to. */
export const withCandidates = async <T>(call: EndpointCall, assignment: Assignment, change: Promise<T>): Promise<T> => {
  try {
    return await change;
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'invalid') throw error;
    const details = error.extra.details ?? [];
    const isAboutPerson = details.some(({ path }) => path === 'assignee');
    const message = isAboutPerson ? await describeCandidates(call, assignment) : null;
    if (message === null) throw error;
    throw invalidFault(details.map((detail) => (detail.path === 'assignee' ? { ...detail, message } : detail)));
  }
};
