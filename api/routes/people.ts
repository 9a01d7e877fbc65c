/** The endpoint that lists the people whom items can be assigned to, those who can work first. */
import { type Person, unknownName, findVisibleInbox } from '../../shared/accounts/access/principal.ts';
import { fault, invalidAt } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { visibleInboxes } from '../../shared/items/filters/filters.ts';
import { countOpenItems } from '../../shared/items/workload.ts';
import { nameSchema, responseObject, strictObject, Type } from '../../shared/platform/json/schema.ts';
import { textFinder } from '../../shared/platform/words/searchWords.ts';
import { readEndpoint, type Endpoint, type EndpointCall } from '../endpoint.ts';
import { listResponse, pageQuerySchema, paginateByName } from './discovery.ts';

export const personSchema = responseObject({
  id: Type.String({ description: 'The person; assignee takes it.' }),
  name: Type.String({ description: 'Their name.' }),
  role: Type.String({ description: 'The name of their role.' }),
  canWork: Type.Boolean({ description: 'Whether their role may do more there than see.' }),
  openItems: Type.Integer({ description: 'Their open items that you see.' }),
});

/** Returns the inboxes that are asked about: those in which the caller may assign. Throws `not_found` and `forbidden`. */
const assignableInboxes = ({ caller }: Pick<EndpointCall, 'caller'>, wanted: string | undefined): string[] => {
  const { access } = caller.principal;
  if (wanted !== undefined && findVisibleInbox(caller, wanted) === undefined)
    throw unknownName('inbox', wanted, visibleInboxes(caller));
  const assignable = visibleInboxes(caller)
    .map((inbox) => inbox.name)
    .filter((inbox) => (wanted === undefined || inbox === wanted) && access.can('inbox', inbox, 'assign'));
  if (assignable.length === 0) throw fault('forbidden', 'Your role may not assign there.');
  return assignable;
};

/** Returns the people who see one of the inboxes. */
const peopleWhoSee = ({ caller, deps }: Pick<EndpointCall, 'caller' | 'deps'>, inboxes: readonly string[]): Person[] =>
  deps.directory.people(caller.env).filter((person) => inboxes.some((inbox) => person.access.sees('inbox', inbox)));

/** Returns the people whom the caller may assign something to, of one inbox where it is given. Throws `403 forbidden` when it may assign nothing. */
export const assignablePeople = (call: Pick<EndpointCall, 'caller' | 'deps'>, inbox?: string): Person[] =>
  peopleWhoSee(call, assignableInboxes(call, inbox));

/** Returns whether a name has what is searched: words, or their beginnings. */
export const nameFilter = (q: string | undefined): ((person: Person) => boolean) => {
  if (q === undefined) return () => true;
  if (q.trim().split(/\s+/u).length > limits.searchWords)
    throw invalidAt('q', `must have at most ${String(limits.searchWords)} words`);
  const isFound = textFinder(q);
  return ({ name }) => isFound(name);
};

const people = readEndpoint({
  path: '/people',
  name: 'person.list',
  summary: 'The people that items of an inbox can be assigned to, those who can work on them first',
  tag: 'Discovery',
  query: strictObject({
    ...pageQuerySchema,
    inbox: Type.Optional(nameSchema('Who sees this inbox; absent: any where you may assign.')),
    q: Type.Optional(
      Type.String({ minLength: 1, maxLength: limits.searchMax, description: 'The beginning of a part of the name.' }),
    ),
  }),
  responses: { 200: listResponse('people', personSchema) },
  example: { query: { inbox: 'support' } },
  handle: async (call) => {
    const { deps, caller, query } = call;
    const assignable = assignableInboxes(call, query.inbox);
    const found = peopleWhoSee(call, assignable)
      .filter(nameFilter(query.q))
      .map(({ id, name, role, access }) => {
        const canWork = assignable.some((inbox) => access.inboxVerbs(inbox).some((verb) => verb !== 'see'));
        return { id, name, role, canWork, group: canWork ? 0 : 1 };
      });
    const { page, cursor } = paginateByName(caller, `people:${query.inbox ?? ''}:${query.q ?? ''}`, found, query);
    const open = await countOpenItems(
      deps.db,
      caller,
      page.map(({ id }) => id),
    );
    const list = page.map(({ group: _, ...person }) => ({ ...person, openItems: open.get(person.id) ?? 0 }));
    return { status: 200, body: { people: list, cursor } };
  },
});

export const peopleEndpoints: readonly Endpoint[] = [people];
