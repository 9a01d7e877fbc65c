/** Adds a note to an item. */
import { strictObject } from '../../platform/json/schema.ts';
import { defineItemOperation } from '../operation.ts';
import { checkLongText, longText } from '../search/longText.ts';

export const noteItem = defineItemOperation({
  name: 'item.note',
  verb: 'note',
  input: strictObject({ text: longText('The note.') }),
  validate: ({ text }) => {
    checkLongText(text);
  },
  decide: (item, _inbox, { text }) => ({ item, entries: [{ type: 'note', data: { text } }] }),
});
