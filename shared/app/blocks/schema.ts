/** The schemas of blocks: validateBlocks.ts checks apps' blocks by them, responses and docs show them. */
import { nullable, responseObject, Type, type TSchema } from '../../platform/json/schema.ts';
import { itemSchema } from '../items/members.ts';

export const valueTypes = ['text', 'number', 'money', 'time', 'date', 'boolean', 'link', 'person'] as const;
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

const label = Type.String({ maxLength: blockLimits.labelMax, description: 'Label.' });
export const valueTypeSchema = Type.Union(
  valueTypes.map((type) => Type.Literal(type)),
  { description: `How to show it: ${valueTypes.join(', ')}.` },
);
export const valueSchema = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], {
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

const record = responseObject(
  {
    resource: Type.String({ description: 'Its resource.' }),
    id: Type.String({ minLength: 1, maxLength: 200, description: 'Its id in the app.' }),
    title: Type.String({ maxLength: 500, description: 'What people read first.' }),
    subtitle: nullable(Type.String({ maxLength: 500, description: 'What people read next.' })),
    fields: Type.Object({}, { description: 'Its values, as the app gave them.' }),
    updatedAt: nullable(
      Type.Integer({ description: 'When it last changed (milliseconds since 1970 UTC); null: not known.' }),
    ),
  },
  { description: 'The record.' },
);

const reference = responseObject({
  action: Type.String({ description: 'Action.' }),
  label,
  record: nullable(
    Type.String({ minLength: 1, maxLength: 200, description: 'Id of the record to run it on; null: it takes none.' }),
  ),
  input: Type.Object({}, { description: 'What to fill its form with.' }),
});

const blocks = (item: TSchema) => ({
  text: block('text', 'A text.', {
    text: Type.String({ description: 'The text.' }),
    plain: Type.Optional(Type.Boolean({ description: 'Present and true: it is no Markdown.' })),
  }),
  fields: block('fields', 'Labelled values.', {
    fields: Type.Array(responseObject({ label, value: valueSchema, type: valueTypeSchema }), {
      maxItems: blockLimits.entries,
      description: 'The values, in their order.',
    }),
  }),
  stat: block('stat', 'One number or word.', {
    value: Type.Union([Type.Number(), Type.String({ maxLength: 200 }), Type.Null()], {
      description: 'The number or word; null: none.',
    }),
    unit: nullable(Type.String({ maxLength: 50, description: 'Its unit, such as EUR.' })),
    change: nullable(Type.Number({ description: 'Against before.' })),
  }),
  table: block('table', 'Rows of values, one member per column.', {
    columns: Type.Array(
      responseObject({
        name: Type.String({ minLength: 1, maxLength: 100, description: 'The member of each row.' }),
        label,
        type: valueTypeSchema,
      }),
      { minItems: 1, maxItems: blockLimits.columns, description: 'Columns.' },
    ),
    rows: Type.Array(Type.Record(Type.String(), valueSchema), { description: 'One object for each row.' }),
  }),
  chart: block('chart', 'Series of points.', {
    kind: Type.Union([Type.Literal('line'), Type.Literal('bar')], { description: 'How to draw it.' }),
    series: Type.Array(
      responseObject({
        name: label,
        points: Type.Array(
          Type.Array(Type.Union([Type.Number(), Type.String({ maxLength: 200 })]), {
            minItems: 2,
            maxItems: 2,
            description: 'x and its number.',
          }),
          { description: 'Points.' },
        ),
      }),
      { maxItems: blockLimits.series, description: 'The lines, or the groups of bars.' },
    ),
  }),
  items: block('items', 'Items as your role sees them.', {
    items: Type.Array(item, { maxItems: blockLimits.entries, description: 'The items.' }),
  }),
  record: block('record', 'A record.', { record }),
  actions: block('actions', 'Actions that your role may run.', {
    actions: Type.Array(reference, { maxItems: blockLimits.entries, description: 'The actions.' }),
  }),
  link: block('link', 'An address to open.', {
    url: Type.String({ minLength: 1, maxLength: blockLimits.urlMax, description: 'http, https or mailto.' }),
    label: Type.String({ maxLength: blockLimits.urlMax, description: 'Label.' }),
  }),
  error: block('error', 'What could not be shown, and why.', {
    error: Type.String({ maxLength: 1000, description: 'A sentence for people.' }),
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
