/** The schemas of blocks: validateBlocks.ts checks apps' blocks by them, responses and docs show them. */
import { nullable, responseObject, Type, type TSchema } from '../platform/core/schema.ts';
import { itemSchema } from './itemSchema.ts';

export const valueTypes = ['text', 'number', 'money', 'time', 'boolean', 'link', 'person'] as const;
export type BlockValueType = (typeof valueTypes)[number];

/** Limits of the blocks of one answer of an app: nobody reads more, and checking more would block the process. */
export const blockLimits = {
  /** Blocks of one answer. */
  count: 100,
  /** Bytes of one answer's blocks together, as JSON in UTF-8. */
  bytes: 256 * 1024,
  titleMax: 200,
  labelMax: 200,
  urlMax: 2048,
  columns: 50,
  series: 50,
  /** Entries of `fields`, `items` and `actions`. */
  entries: 200,
} as const;

const label = Type.String({ maxLength: blockLimits.labelMax, description: 'What people read.' });
const valueType = Type.Union(
  valueTypes.map((type) => Type.Literal(type)),
  { description: `How to show it: ${valueTypes.join(', ')}.` },
);
const value = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], {
  description: 'A time is in milliseconds since 1970 UTC; null: none.',
});

const block = (type: string, description: string, members: Record<string, TSchema>) =>
  responseObject(
    {
      type: Type.Literal(type),
      title: nullable(Type.String({ maxLength: blockLimits.titleMax, description: 'Its heading; null: none.' })),
      ...members,
    },
    { description },
  );

const record = responseObject({
  resource: Type.String(),
  id: Type.String({ minLength: 1, maxLength: 200 }),
  title: Type.String({ maxLength: 500 }),
  subtitle: nullable(Type.String({ maxLength: 500 })),
  fields: Type.Object({}),
  updatedAt: nullable(Type.Integer()),
});

const reference = responseObject({
  action: Type.String({ description: 'The action’s name.' }),
  label,
  record: nullable(
    Type.String({ minLength: 1, maxLength: 200, description: 'Id of the record to run it on; null: it takes none.' }),
  ),
  input: Type.Object({}, { description: 'What to fill its form with.' }),
});

const blocks = (item: TSchema) => ({
  text: block('text', 'Markdown.', { text: Type.String() }),
  fields: block('fields', 'Labelled values.', {
    fields: Type.Array(responseObject({ label, value, type: valueType }), { maxItems: blockLimits.entries }),
  }),
  stat: block('stat', 'One number or word.', {
    value: Type.Union([Type.Number(), Type.String({ maxLength: 200 }), Type.Null()]),
    unit: nullable(Type.String({ maxLength: 50 })),
    change: nullable(Type.Number({ description: 'Against before.' })),
  }),
  table: block('table', 'Rows of values, one member per column.', {
    columns: Type.Array(
      responseObject({ name: Type.String({ minLength: 1, maxLength: 100 }), label, type: valueType }),
      { minItems: 1, maxItems: blockLimits.columns },
    ),
    rows: Type.Array(Type.Record(Type.String(), value)),
  }),
  chart: block('chart', 'Series of points.', {
    kind: Type.Union([Type.Literal('line'), Type.Literal('bar')]),
    series: Type.Array(
      responseObject({
        name: label,
        points: Type.Array(
          Type.Array(Type.Union([Type.Number(), Type.String({ maxLength: 200 })]), {
            minItems: 2,
            maxItems: 2,
            description: 'x and its number.',
          }),
        ),
      }),
      { maxItems: blockLimits.series },
    ),
  }),
  items: block('items', 'Items as your role sees them.', {
    items: Type.Array(item, { maxItems: blockLimits.entries }),
  }),
  record: block('record', 'A record.', { record }),
  actions: block('actions', 'Actions that your role may run.', {
    actions: Type.Array(reference, { maxItems: blockLimits.entries }),
  }),
  link: block('link', 'An address to open.', {
    url: Type.String({ minLength: 1, maxLength: blockLimits.urlMax, description: 'http, https or mailto.' }),
    label: Type.String({ maxLength: blockLimits.urlMax }),
  }),
  error: block('error', 'What could not be shown, and why.', {
    error: Type.String({ maxLength: 1000, description: 'A sentence for a person.' }),
    code: Type.String({ maxLength: 100, description: 'As in errors of requests.' }),
  }),
});

/** An app's `items` block names items by id; the role of the caller decides which are shown (shared/views). */
const named = responseObject({ id: Type.String({ minLength: 1, maxLength: 200 }) });

/** The schemas by type, for blocks of apps with the defaults of normalizeBlock.ts. */
export const appBlockSchemas = blocks(named);
export type BlockType = keyof typeof appBlockSchemas;

/** The schema of a block in responses. */
export const blockSchema: TSchema = Type.Union(Object.values(blocks(itemSchema)), {
  description: 'A block; later versions may have further types, to be ignored.',
});
