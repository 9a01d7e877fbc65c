/** Building blocks of request and response schemas, for every layer (TypeBox: schemas are plain JSON Schema, types are inferred from them). */
import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { limits } from '../../catalogue/limits.ts';
import type { IdPrefix } from '../ids.ts';

export { Type };
export type { Static, TObject, TProperties, TSchema };

/** Names of inboxes, resources, states, views, actions, pages, flags, fields and parameters. */
export const namePattern = '^[A-Za-z][A-Za-z0-9_.-]{0,99}$';

export const recordRefPattern = '^[A-Za-z][A-Za-z0-9_.-]{0,99}:[^\\u0000-\\u001f\\u007f]{1,200}$';
export const claimedPattern = '^(?:none|any|me|(?:per|agt)_[0-7][0-9a-hjkmnp-tv-z]{25})$';
export const delegatePattern = '^(?:none|me|agt_[0-7][0-9a-hjkmnp-tv-z]{25})$';
export const assigneePattern = '^(?:none|me|per_[0-7][0-9a-hjkmnp-tv-z]{25})$';

/** At least one character that is not white space. */
const textPattern = '\\S';

/**
 * One line with at least one character that is neither a space nor a control character. The look-ahead keeps the pattern
 * linear, which matters as it also sees texts that are too long.
 */
export const linePattern = '^(?=[^\\u0000-\\u001f\\u007f]*[^\\u0000-\\u0020\\u007f])[^\\u0000-\\u001f\\u007f]*$';

/** A line without characters that are not seen or change the order of others: names stand for those whom they name. */
export const displayNamePattern =
  '^(?=.*\\S)[^\\u0000-\\u001f\\u007f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]*$';

/** Of the basic plane, what nobody sees: white space, control characters, and signs that only shape others. */
const unseen =
  '\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb';

const visiblePattern = `[^${unseen}]`;

/** Linear, like `linePattern`. */
const tagPattern = `^(?=[^,]*[^,${unseen}])[^,]*$`;

/** Ids that the service makes begin with what they are of. */
const idPattern = (prefix: string): string => `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`;

const sentences: ReadonlyMap<string, string> = new Map([
  [namePattern, 'must be a name: a letter, then letters, digits, _, . or -, 100 at most'],
  [recordRefPattern, 'must be of the form <resource>:<id>'],
  [assigneePattern, 'must be of the form none, me or a person’s id'],
  [claimedPattern, 'must be of the form none, any, me, or the id of a person or an agent'],
  [delegatePattern, 'must be of the form none, me or an agent’s id'],
  [textPattern, 'must have a character that is not white space'],
  [visiblePattern, 'must have a character that is seen'],
  [linePattern, 'must be one line that is not empty'],
  [displayNamePattern, 'must be one line that is not empty, of characters that are seen'],
  [tagPattern, 'must be a tag: not empty, and without a comma'],
]);

/** Returns what a text has to look like, by the pattern that it has to match; undefined: the pattern has to say it itself. */
export const patternSentence = (pattern: string): string | undefined => {
  const [, prefix] = /^\^([a-z]{3,4})_\[0-7\]/.exec(pattern) ?? [];
  return prefix === undefined ? sentences.get(pattern) : `must be an id that begins with ${prefix}_`;
};

/** Returns the schema of a request object: undeclared members are refused. */
export const strictObject = <P extends TProperties>(
  properties: P,
  options: { description?: string; minProperties?: number } = {},
) => Type.Object(properties, { additionalProperties: false, ...options });

/** Returns the schema of a response object: later versions may add members. */
export const responseObject = <P extends TProperties>(properties: P, options: { description?: string } = {}) =>
  Type.Object(properties, options);

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** What a client should know about a request that is carried out all the same. */
export interface Warning {
  readonly code: string;
  readonly message: string;
}
export const warningsSchema = Type.Array(
  responseObject({
    code: Type.String({ description: 'What programs tell it by.' }),
    message: Type.String({ description: 'A sentence for people.' }),
  }),
  { description: 'What to look at before going on; empty: nothing.' },
);

export const nameSchema = (description: string) => Type.String({ pattern: namePattern, description });

export const idSchema = (prefix: IdPrefix, description: string) =>
  Type.String({ pattern: idPattern(prefix), description });

/** Returns the schema of an id that a client looks something up by: any text, as a text that is no id is not found. */
export const lookupIdSchema = (description: string) => Type.String({ description });

export const timeSchema = (description: string) =>
  Type.Integer({ minimum: 0, maximum: limits.timeMax, description: `${description} (milliseconds since 1970 UTC)` });

/** On the last page of what began before that time. */
export const archivedBeforeSchema = timeSchema('archivedBefore');

/** Any text: `openCursor` refuses what is no cursor of the query. */
export const cursorSchema = Type.String({ minLength: 1, description: 'The previous page’s cursor.' });

export const limitSchema = Type.Integer({
  minimum: 1,
  maximum: limits.pageMax,
  default: limits.pageDefault,
  description: `Page size, 1 to ${String(limits.pageMax)}; ${String(limits.pageDefault)} by default.`,
});

/** Returns the schema of a comma-separated query parameter. */
export const csvListSchema = <T extends TSchema>(items: T, description: string) =>
  Type.Array(items, { minItems: 1, maxItems: limits.filterValues, description: `${description} (comma-separated)` });

/** The description that an app declares for something. */
export const describedSchema = nullable(Type.String({ description: 'What it is, in the words of the app.' }));

export const nextCursorSchema = nullable(Type.String({ description: 'For the next page; null on the last.' }));

/** Returns the schema of a text with at least one character that is not white space. */
export const textSchema = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: textPattern, description });

/** Returns the schema of a text of which something is seen. */
export const visibleSchema = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: visiblePattern, description });

export const tagSchema = Type.String({
  minLength: 1,
  maxLength: limits.tagMax,
  pattern: tagPattern,
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
