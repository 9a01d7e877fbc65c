/** Sets an item's state. */
import { closed, name } from '../../platform/core/schema.ts';
import { itemOperation } from '../operation.ts';
import { entryProblem, inState } from '../states.ts';

export const setState = itemOperation({
  name: 'item.state',
  verb: 'state',
  input: closed({ state: name('One of the inbox’s states.') }),
  decide: (item, inbox, { state }, { at }) => {
    if (item.state === state) return 'unchanged';
    const problem = entryProblem(item, inbox, state);
    if (problem !== null) return problem;
    return { item: inState(item, inbox, state, at), entries: [{ type: 'state', data: { from: item.state, to: state } }] };
  },
});
