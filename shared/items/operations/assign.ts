/** Assigns an item to a person who may see it, or to nobody; and unassigns it where its person does not see its inbox any more. */
import { type Person, includesEnvironment } from '../../accounts/access/principal.ts';
import type { Directory } from '../../accounts/directory.ts';
import type { Environment } from '../../app/manifest/definition.ts';
import { type Fault, invalidAt } from '../../catalogue/errors.ts';
import { isObject } from '../../platform/json/jsonLimits.ts';
import { nullable, strictObject, Type } from '../../platform/json/schema.ts';
import { defineItemOperation } from '../operation.ts';

/** Returns the fault for a person who can't be assigned, or null. Nobody learns from it whether the person exists. */
export const assigneeProblem = (person: Person | undefined, env: Environment, inbox: string): Fault | null =>
  person !== undefined && includesEnvironment(person.environments, env.name) && person.access.sees('inbox', inbox)
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

export const assignItem = defineItemOperation({
  name: 'item.assign',
  verb: 'assign',
  input: strictObject({
    assignee: nullable(Type.String({ minLength: 1, maxLength: 100, description: 'A person’s id; null unassigns.' })),
  }),
  decide: (item, inbox, { assignee }, { env, person }) => {
    if (item.assignee === assignee) return 'unchanged';
    const problem = assignee === null ? null : assigneeProblem(person(assignee), env, inbox.name);
    if (problem !== null) return problem;
    return {
      item: { ...item, assignee },
      entries: [{ type: 'assigned', data: { from: item.assignee, to: assignee } }],
    };
  },
});

/** Performed only by workers/jobs/index.ts. */
export const unassignLost = defineItemOperation({
  name: 'item.unassign',
  verb: null,
  input: strictObject({}),
  decide: (item, inbox, _input, { env, person }) =>
    item.assignee === null || assigneeProblem(person(item.assignee), env, inbox.name) === null
      ? 'unchanged'
      : {
          item: { ...item, assignee: null },
          entries: [{ type: 'assigned', data: { from: item.assignee, to: null } }],
        },
});
