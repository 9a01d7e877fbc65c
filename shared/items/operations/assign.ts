/** Assigns an item to a person, or to nobody; and unassigns it where its person does not see its inbox any more. */
import { nullable, strictObject, Type } from '../../platform/json/schema.ts';
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
