/** Adds a note to an item; the limits of its text are those of replies too. */
import { invalidAt } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { strictObject, textSchema } from '../../platform/json/schema.ts';
import { defineItemOperation } from '../operation.ts';

export const longText = (description: string) => textSchema(limits.textBytes, description);

/** Throws `invalid` for a text of too many bytes or lines. */
export const checkLongText = (value: string, path = 'text'): void => {
  if (Buffer.byteLength(value) > limits.textBytes)
    throw invalidAt(path, `must be at most ${String(limits.textBytes)} bytes`);
  if (value.split('\n').length > limits.textLines)
    throw invalidAt(path, `must be at most ${String(limits.textLines)} lines`);
};

export const noteItem = defineItemOperation({
  name: 'item.note',
  verb: 'note',
  input: strictObject({ text: longText('The note.') }),
  validate: ({ text }) => {
    checkLongText(text);
  },
  decide: (item, _inbox, { text }) => ({ item, entries: [{ type: 'note', data: { text } }] }),
});
