/** Sets an item's state. */
import { nameSchema, strictObject } from '../../platform/json/schema.ts';
import { stateEntryProblem, withState } from '../inboxRules.ts';
import { defineItemOperation } from '../operation.ts';

export const setState = defineItemOperation({
  name: 'item.state',
  verb: 'state',
  input: strictObject({ state: nameSchema('One of the inbox’s states.') }),
  decide: (item, inbox, { state }, { at }) => {
    if (item.state === state) return 'unchanged';
    const problem = stateEntryProblem(item, inbox, state);
    if (problem !== null) return problem;
    return {
      item: withState(item, inbox, state, at),
      entries: [{ type: 'state', data: { from: item.state, to: state } }],
    };
  },
});
