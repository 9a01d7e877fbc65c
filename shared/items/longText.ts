/** The text of notes and replies: its schema and what the schema can't say. */
import { invalid } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import { text } from '../platform/core/schema.ts';

export const longText = (description: string) => text(limits.textBytes, description);

/** Throws `400 invalid` for a text of more bytes or lines than are kept. */
export const checkLongText = (value: string): void => {
  if (Buffer.byteLength(value) > limits.textBytes) throw invalid('text', `must be at most ${String(limits.textBytes)} bytes`);
  if (value.split('\n').length > limits.textLines) throw invalid('text', `must be at most ${String(limits.textLines)} lines`);
};
