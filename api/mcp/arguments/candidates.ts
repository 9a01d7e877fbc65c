/** Whom an item can be assigned to, for the error about somebody who does not see its inbox. Used by tool.ts. */
import { Fault } from '../../../shared/catalogue/errors.ts';
import { readItems } from '../../../shared/items/model.ts';
import { invalidFault } from '../../../shared/platform/json/validate.ts';
import { listNearest } from '../../../shared/platform/words/nearestNames.ts';
import type { EndpointCall } from '../../endpoint.ts';
import { assignablePeople } from '../../routes/people.ts';

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
