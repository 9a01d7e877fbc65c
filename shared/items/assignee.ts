/** Who can be assigned: a person of the environment who sees the item's inbox. */
import { invalidAt, type Fault } from '../catalogue/errors.ts';
import { includesEnvironment, type Person } from '../access/principal.ts';
import type { Environment } from '../environments/definition.ts';

/** The same fault for a person who doesn't exist and one who can't see the inbox. */
export const assigneeProblem = (person: Person | undefined, env: Environment, inbox: string): Fault | null =>
  person !== undefined && includesEnvironment(person.environments, env.name) && person.access.sees('inbox', inbox)
    ? null
    : invalidAt('assignee', 'must be the id of a person who can see this inbox, or null');
