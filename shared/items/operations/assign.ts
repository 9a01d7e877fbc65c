/** Assigns an item to a person who may see it, or to nobody, and delegates it to an agent; takes it from those who don't see its inbox any more. */
import { type Person, includesEnvironment } from '../../accounts/access/principal.ts';
import type { Directory } from '../../accounts/directory.ts';
import type { Environment, InboxDefinition } from '../../app/manifest/definition.ts';
import { type Fault, invalidAt } from '../../catalogue/errors.ts';
import { isObject } from '../../platform/json/jsonLimits.ts';
import { nullable, strictObject, Type } from '../../platform/json/schema.ts';
import type { Item } from '../model.ts';
import { decideInTurn, defineItemOperation, type DecisionContext, type ItemDecision } from '../operation.ts';

/** Returns whether somebody has access to the environment and sees the inbox. */
export const worksHere = (holder: Person | undefined, env: Environment, inbox: string): boolean =>
  holder !== undefined && includesEnvironment(holder.environments, env.name) && holder.access.sees('inbox', inbox);

/** Returns the fault for a person who can't be assigned, or null. Nobody learns from it whether the person exists. */
export const assigneeProblem = (person: Person | undefined, env: Environment, inbox: string): Fault | null =>
  worksHere(person, env, inbox)
    ? null
    : invalidAt('assignee', 'must be the id of a person who can see this inbox, or null');

/** Returns the name of the person whom an operation assigns; null: it assigns nobody, or no person of the environment, whose name nobody learns so. */
export const assigneeName = (
  { person }: Pick<Directory, 'person'>,
  env: Pick<Environment, 'name'>,
  operation: unknown,
): string | null => {
  const assignee = isObject(operation) ? operation['assignee'] : null;
  const found = typeof assignee === 'string' ? person(assignee) : undefined;
  return found !== undefined && includesEnvironment(found.environments, env.name) ? found.name : null;
};

/** The persons and agents that an item can be given to, as members of an input. */
export const assignInput = {
  assignee: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: 100, description: 'A person’s id; null unassigns.' })),
  ),
  delegate: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'The id of the agent that works on it; the assignee stays responsible. null: none.',
      }),
    ),
  ),
};

const decideAssignee = (
  item: Item,
  inbox: InboxDefinition,
  assignee: string | null,
  { env, person }: DecisionContext,
): ItemDecision => {
  if (item.assignee === assignee) return 'unchanged';
  const problem = assignee === null ? null : assigneeProblem(person(assignee), env, inbox.name);
  return (
    problem ?? {
      item: { ...item, assignee },
      entries: [{ type: 'assigned', data: { from: item.assignee, to: assignee } }],
    }
  );
};

const decideDelegate = (
  item: Item,
  inbox: InboxDefinition,
  delegate: string | null,
  { env, agent }: DecisionContext,
): ItemDecision => {
  if (item.delegate === delegate) return 'unchanged';
  if (delegate !== null && !worksHere(agent(delegate), env, inbox.name))
    return invalidAt('delegate', 'must be the id of an agent that works here and sees this inbox, or null');
  return {
    item: { ...item, delegate },
    entries: [{ type: 'delegated', data: { from: item.delegate, to: delegate } }],
  };
};

export const assignItem = defineItemOperation({
  name: 'item.assign',
  verb: 'assign',
  input: strictObject(assignInput),
  validate: ({ assignee, delegate }) => {
    if (assignee === undefined && delegate === undefined)
      throw invalidAt('assignee', 'is missing, and so is delegate: give at least one');
  },
  decide: (given, inbox, { assignee, delegate }, moment) =>
    decideInTurn(given, [
      ...(assignee === undefined ? [] : [(item: Item) => decideAssignee(item, inbox, assignee, moment)]),
      ...(delegate === undefined ? [] : [(item: Item) => decideDelegate(item, inbox, delegate, moment)]),
    ]),
});

/** Performed only by workers/jobs/index.ts. */
export const unassignLost = defineItemOperation({
  name: 'item.unassign',
  verb: null,
  input: strictObject({}),
  decide: (given, inbox, _input, moment) => {
    const { env, person, agent } = moment;
    const keeps = (id: string | null, holder: Person | undefined): boolean =>
      id === null || worksHere(holder, env, inbox.name);
    return decideInTurn(given, [
      ...(keeps(given.assignee, person(given.assignee ?? ''))
        ? []
        : [(item: Item) => decideAssignee(item, inbox, null, moment)]),
      ...(keeps(given.delegate, agent(given.delegate ?? ''))
        ? []
        : [(item: Item) => decideDelegate(item, inbox, null, moment)]),
    ]);
  },
});
