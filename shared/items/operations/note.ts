/** Adds a note to an item. */
import { closed } from '../../platform/core/schema.ts';
import { itemOperation } from '../operation.ts';
import { checkLongText, longText } from '../longText.ts';

export const noteItem = itemOperation({
  name: 'item.note',
  verb: 'note',
  input: closed({ text: longText('The note.') }),
  validate: ({ text }) => {
    checkLongText(text);
  },
  decide: (item, _inbox, { text }) => ({ item, entries: [{ type: 'note', data: { text } }] }),
});
