/** Makes items as the service would have made them, for testApp.ts. */
import type { Json } from '../../app/link/protocol.ts';
import type { Item } from '../handlers.ts';
import type { TestItem } from './testTypes.ts';
import type { Definition } from './validators.ts';

/** Returns the item of an inbox. Throws when the inbox, its state or its fields are not what is declared. */
export const createItem = (definition: Definition, name: string, given: TestItem<unknown>): Item => {
  const inbox = definition.inboxes.get(name);
  if (inbox === undefined) throw new TypeError(`The app declares no inbox ${name}.`);
  const { id = 'itm_test', title = 'A test', state = inbox.initial, fields, ...others } = given;
  const data: Json = Object.assign({}, fields);
  if (inbox.stateOf(state) === undefined) throw new TypeError(`The inbox ${name} has no state ${state}.`);
  const problems = inbox.dataProblems(data, 'fields.');
  if (problems.length > 0)
    throw new TypeError(
      [`The fields are not those of the inbox ${name}:`, ...problems.map((one) => `  ${one.path} ${one.message}`)].join(
        '\n',
      ),
    );
  return { id, inbox: name, title, state, record: null, tags: [], assignee: null, ...others, fields: data };
};
