/** Assigns an item to a person, or to nobody. */
import { nullable, strictObject, Type } from '../../platform/core/schema.ts';
import { assigneeProblem } from '../assignee.ts';
import { defineItemOperation } from '../operation.ts';

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
