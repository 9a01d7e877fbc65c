/** Checks who an item can be assigned to: a person of the environment who sees the item's inbox. For the operations assign and triage. */
import { includesEnvironment, type Person } from '../access/principal.ts';
import { invalidAt, type Fault } from '../catalogue/errors.ts';
import type { Environment } from '../environments/definition.ts';

/** Returns the fault for a person who can't be assigned, or null. Nobody learns from it whether the person exists. */
export const assigneeProblem = (person: Person | undefined, env: Environment, inbox: string): Fault | null =>
  person !== undefined && includesEnvironment(person.environments, env.name) && person.access.sees('inbox', inbox)
    ? null
    : invalidAt('assignee', 'must be the id of a person who can see this inbox, or null');
