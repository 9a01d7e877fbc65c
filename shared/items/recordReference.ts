/** The schema of references to records in requests. For the operations create and update. */
import { limits } from '../catalogue/limits.ts';
import { nameSchema, strictObject, Type } from '../platform/json/schema.ts';

const recordId = Type.String({
  minLength: 1,
  maxLength: limits.recordIdMax,
  pattern: '^(?!(?:\\.{1,2}|list)$)[^\\u0000-\\u001f\\u007f-\\u009f]+$',
  description: 'The record’s id in the app.',
});

export const recordReference = (description: string) =>
  strictObject({ resource: nameSchema('The resource.'), id: recordId }, { description });
