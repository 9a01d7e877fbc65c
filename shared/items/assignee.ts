/** Checks who an item can be assigned to (a person of the environment who sees the item's inbox), and names them. For the operations assign and triage, and requests for approval. */
import { includesEnvironment, type Person } from '../accounts/access/principal.ts';
import type { Directory } from '../accounts/directory.ts';
import type { Environment } from '../app/manifest/definition.ts';
import { invalidAt, type Fault } from '../catalogue/errors.ts';
import { isObject } from '../platform/json/jsonLimits.ts';

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
