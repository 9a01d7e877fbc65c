/** Schemas of records in requests and responses, for api/routes/resources.ts and the API documents. */
import { limits } from '../catalogue/limits.ts';
import {
  cursorSchema,
  describedSchema,
  limitSchema,
  nextCursorSchema,
  nullable,
  responseObject,
  strictObject,
  Type,
} from '../platform/json/schema.ts';

export const recordSchema = responseObject({
  resource: Type.String({ description: 'Its resource.' }),
  id: Type.String({ description: 'Its id in the app: 1 to 200 characters.' }),
  title: Type.String({ description: 'What people read first.' }),
  subtitle: nullable(Type.String({ description: 'What people read next.' })),
  fields: Type.Object({}, { description: 'Its values, as the app gave them.' }),
  updatedAt: nullable(
    Type.Integer({ description: 'When it last changed (milliseconds since 1970 UTC); null: not known.' }),
  ),
});

export const recordsResponse = responseObject({ records: Type.Array(recordSchema), cursor: nextCursorSchema });

export const resourceSchema = responseObject({
  name: Type.String({ description: 'Name.' }),
  label: Type.String({ description: 'Label.' }),
  description: describedSchema,
  source: Type.Union([Type.Literal('stored'), Type.Literal('app')], {
    description: 'stored: kept by the service; app: read from the app.',
  }),
  fields: Type.Array(
    responseObject({
      name: Type.String({ description: 'Name.' }),
      label: Type.String({ description: 'Label.' }),
      description: describedSchema,
      type: nullable(
        Type.String({ description: 'text, number, money, time, date, boolean, link or person; null: any.' }),
      ),
      currency: nullable(
        Type.Union(
          [Type.String(), responseObject({ field: Type.String({ description: 'The field of the record.' }) })],
          {
            description: 'Of amounts: the currency, or the field of the record that has it; null: not said.',
          },
        ),
      ),
      filter: Type.Boolean({ description: 'Whether lists filter by it.' }),
      sort: Type.Boolean({ description: 'Whether lists sort by it.' }),
      search: Type.Boolean({ description: 'Whether q finds its words.' }),
    }),
    { description: 'Fields.' },
  ),
  relations: Type.Array(
    responseObject({
      name: Type.String({ description: 'Name.' }),
      label: Type.String({ description: 'Label.' }),
      description: describedSchema,
      resource: nullable(Type.String({ description: 'Of the related records; null: of several.' })),
    }),
    { description: 'What its records are related to.' },
  ),
});

const q = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: limits.searchMax,
    description: 'The beginning of an id, or words of title and fields.',
  }),
);

export const recordSearchQuery = strictObject({
  q,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.pageMax,
      default: limits.searchRecords,
      description: `At most so many; never more than ${String(limits.searchRecords)} are answered.`,
    }),
  ),
  cursor: Type.Optional(cursorSchema),
});

export const recordListQuery = strictObject({
  q,
  filters: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'JSON: { field: value }, { field: [any, of] } or { field: { op: value } }; all have to hold.',
    }),
  ),
  sort: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 101,
      description: 'title, updatedAt, id or a sortable field; - descends; records without it come last.',
    }),
  ),
  cursor: Type.Optional(cursorSchema),
  limit: Type.Optional(limitSchema),
});

export const relatedQuery = strictObject({ cursor: Type.Optional(cursorSchema), limit: Type.Optional(limitSchema) });

export const putRecordsInput = strictObject({
  records: Type.Optional(
    Type.Array(
      strictObject({
        id: Type.String({
          minLength: 1,
          maxLength: limits.recordIdMax,
          description: 'Its id: no control characters, not ., .. or list.',
        }),
        title: Type.String({
          minLength: 1,
          maxLength: limits.titleMax,
          description: 'What people read first, on one line.',
        }),
        subtitle: Type.Optional(
          nullable(Type.String({ maxLength: limits.titleMax, description: 'What people read next.' })),
        ),
        fields: Type.Optional(Type.Object({}, { description: 'Its values, at most 32 KiB.' })),
        updatedAt: Type.Optional(
          nullable(
            Type.Integer({
              minimum: 0,
              maximum: limits.timeMax,
              description: 'When it last changed (milliseconds since 1970 UTC); now when absent.',
            }),
          ),
        ),
      }),
      { maxItems: limits.recordsPerCall, description: 'Records to store, each whole.' },
    ),
  ),
  deleted: Type.Optional(
    Type.Array(Type.String({ maxLength: limits.recordIdMax, description: 'An id.' }), {
      maxItems: limits.recordsPerCall,
      description: 'Ids of records to delete.',
    }),
  ),
});

const batch = Type.Optional(Type.Array(Type.Unknown(), { maxItems: limits.recordsPerCall }));

/** The part of `putRecordsInput` that is checked before the resource is looked up; write.ts checks the members, to report every problem. */
export const putRecordsEnvelope = strictObject({ records: batch, deleted: batch });
