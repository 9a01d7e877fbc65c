/** The text of notes and replies: its schema, and the limits that a schema can't express. For the operations note and reply. */
import { invalidAt } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { textSchema } from '../../platform/json/schema.ts';

export const longText = (description: string) => textSchema(limits.textBytes, description);

/** Throws `invalid` for a text of too many bytes or lines. */
export const checkLongText = (value: string, path = 'text'): void => {
  if (Buffer.byteLength(value) > limits.textBytes)
    throw invalidAt(path, `must be at most ${String(limits.textBytes)} bytes`);
  if (value.split('\n').length > limits.textLines)
    throw invalidAt(path, `must be at most ${String(limits.textLines)} lines`);
};
