/**
 * Who did something, as models name them (`by` of list_changes, `requestedBy` of list_approvals), as their ids: people as in assignee,
 * and agents. Used by tools/overview.ts and tools/work.ts.
 */
import { includesEnvironment } from '../../../shared/accounts/access/principal.ts';
import { listAgents } from '../../../shared/accounts/settings/agents.ts';
import { Fault, invalidAt } from '../../../shared/catalogue/errors.ts';
import { limits } from '../../../shared/catalogue/limits.ts';
import { visibleInboxes } from '../../../shared/items/filters/filters.ts';
import { listNearest } from '../../../shared/platform/words/nearestNames.ts';
import { foldCase } from '../../../shared/platform/words/searchWords.ts';
import type { EndpointCall } from '../../endpoint.ts';
import { assignablePeople } from '../../routes/people.ts';
import { toList } from './coerce.ts';
import { ambiguousName, namedPeople } from './people.ts';

type Members = Readonly<Record<string, unknown>>;

const idForm = /^(?:per|agt|key)_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
/** Those who are no people and no agents, and the caller. */
const words = ['me', 'app', 'system'];

/** Returns the agents that work in an inbox that the caller sees, whose timelines name them, and the caller. */
const knownAgents = async ({
  deps,
  caller,
}: EndpointCall): Promise<{ readonly id: string; readonly name: string }[]> => {
  const inboxes = visibleInboxes(caller);
  return (await listAgents(deps.db))
    .filter((agent) => includesEnvironment(agent.environments, caller.env.name))
    .filter(({ id, role }) => {
      const access = deps.directory.role(role.id)?.access;
      return id === caller.principal.id || inboxes.some((inbox) => access?.sees('inbox', inbox.name) === true);
    });
};

/** Returns the people whom the caller may list; null: it may list none. */
const listedPeople = (call: EndpointCall): ReturnType<typeof assignablePeople> | null => {
  try {
    return assignablePeople(call);
  } catch (error) {
    if (error instanceof Fault && error.code === 'forbidden') return null;
    throw error;
  }
};

const resolveActor = async (call: EndpointCall, given: unknown, path: string): Promise<unknown[]> => {
  const text = typeof given === 'string' ? given.trim() : '';
  const word = words.find((each) => each === text.toLowerCase());
  if (word !== undefined) return [word];
  if (typeof given !== 'string' || idForm.test(text)) return [given];
  const agents = await knownAgents(call);
  const named = agents.filter(({ name }) => foldCase(name) === foldCase(text));
  if (named.length > 0) return named.map(({ id }) => id);
  const people = listedPeople(call);
  // Who may not list people learns nothing about names here: the messages that it sees are compared with the name.
  if (people === null) return [given];
  const found = await namedPeople(call, people, text);
  const [first, second] = found;
  if (second !== undefined) throw ambiguousName(path, found);
  if (first !== undefined) return [first.id];
  const names = [...people, ...agents].map(({ name }) => name);
  throw invalidAt(
    path,
    `names nobody who works here; the nearest names are ${listNearest(text, [...names, ...words])}`,
  );
};

/** Returns the arguments with the ids of those whom `by` names. Throws `400 invalid` for a name that nobody has. */
export const resolveActors = async (call: EndpointCall, given: Members): Promise<Members> => {
  if (given['by'] === undefined || given['by'] === null) return given;
  const by: unknown[] = [];
  for (const [n, one] of toList(given['by']).slice(0, limits.filterValues).entries())
    by.push(...(await resolveActor(call, one, `by.${String(n)}`)));
  return { ...given, by };
};

/** Returns the arguments with the id of whom `requestedBy` names. Throws `400 invalid` for a name that nobody has, or several. */
export const resolveRequester = async (call: EndpointCall, given: Members): Promise<Members> => {
  const { requestedBy } = given;
  if (requestedBy === undefined || requestedBy === null) return given;
  const found = await resolveActor(call, requestedBy, 'requestedBy');
  if (found.length > 1) throw invalidAt('requestedBy', `has several meanings: ${found.join(', ')}; give the id`);
  return { ...given, requestedBy: found[0] === 'me' ? call.caller.principal.id : found[0] };
};
