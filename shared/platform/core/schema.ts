/** Building blocks of request and response schemas (TypeBox: schemas are plain JSON Schema, types are inferred from them). */
import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { limits } from '../../catalogue/limits.ts';
import type { IdPrefix } from './ids.ts';

export { Type };
export type { Static, TObject, TProperties, TSchema };

/** Names of inboxes, resources, states, views … (contract section 1). */
export const namePattern = '^[A-Za-z][A-Za-z0-9_.-]{0,99}$';

/** A request object: members that aren't declared are refused. */
export const strictObject = <P extends TProperties>(
  properties: P,
  options: { description?: string; minProperties?: number } = {},
) => Type.Object(properties, { additionalProperties: false, ...options });

/** A response object: every member is always there; later versions may add more. */
export const responseObject = <P extends TProperties>(properties: P, options: { description?: string } = {}) =>
  Type.Object(properties, options);

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const nameSchema = (description: string) => Type.String({ pattern: namePattern, description });

export const idSchema = (prefix: IdPrefix, description: string) =>
  Type.String({ pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`, description });

/** An id as a client sends it to find something: any text, as what isn't an id is simply not found. */
export const lookupIdSchema = (description: string) => Type.String({ description });

export const timeSchema = (description: string) =>
  Type.Integer({ minimum: 0, maximum: limits.timeMax, description: `${description} (milliseconds since 1970 UTC)` });

/** However long: what is too long to be one of ours is not of this query either. */
export const cursorSchema = Type.String({ minLength: 1, description: 'The cursor that the previous page answered.' });

export const limitSchema = Type.Integer({
  minimum: 1,
  maximum: limits.pageMax,
  default: limits.pageDefault,
  description: `Page size, 1 to ${String(limits.pageMax)}; ${String(limits.pageDefault)} by default.`,
});

/** A comma-separated query parameter. */
export const csvListSchema = <T extends TSchema>(items: T, description: string) =>
  Type.Array(items, { minItems: 1, maxItems: limits.filterValues, description: `${description} (comma-separated)` });

export const nextCursorSchema = nullable(
  Type.String({ description: 'Pass it back to get the next page; null on the last page.' }),
);

/**
 * One line with at least one character that isn't a space. The look-ahead keeps it linear, which matters as a pattern
 * also sees texts that are too long.
 */
export const linePattern = '^(?=[^\\u0000-\\u001f\\u007f]*[^\\u0000-\\u0020\\u007f])[^\\u0000-\\u001f\\u007f]*$';

/** Text with at least one character that isn't a space. */
export const textSchema = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '\\S', description });

/** Linear, like `linePattern`. */
export const tagSchema = Type.String({
  minLength: 1,
  maxLength: limits.tagMax,
  pattern: '^(?=[^,]*[^,\\s])[^,]*$',
  description: 'A tag: 1 to 100 characters, no comma.',
});

export const actorSchema = responseObject(
  {
    type: Type.Union([Type.Literal('agent'), Type.Literal('person'), Type.Literal('app'), Type.Literal('system')], {
      description: 'What kind of principal.',
    }),
    id: nullable(Type.String({ description: 'Its id; null for the system.' })),
    name: Type.String({ description: 'Its name.' }),
  },
  { description: 'Who did it.' },
);
