/** The endpoint that searches items and records at once. */
import { itemSchema } from '../../shared/app/items/members.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import {
  csvListSchema,
  cursorSchema,
  nullable,
  responseObject,
  strictObject,
  Type,
} from '../../shared/platform/json/schema.ts';
import { recordSchema } from '../../shared/records/schema.ts';
import { searchEverything, searchTypes } from '../../shared/views/search/search.ts';
import { readEndpoint, type Endpoint } from '../endpoint.ts';

const matched = Type.String({
  maxLength: limits.excerptMax,
  description: 'Where it was found.',
});

const search = readEndpoint({
  path: '/search',
  standby: true,
  name: 'search',
  summary: 'Items and records that have all words, best first',
  tag: 'Items',
  query: strictObject({
    q: Type.String({
      minLength: 1,
      maxLength: limits.searchMax,
      description: 'Words; each may be the beginning of one.',
    }),
    types: Type.Optional(
      csvListSchema(Type.Union(searchTypes.map((type) => Type.Literal(type))), 'items, records; both when absent'),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.searchResults,
        default: limits.searchResults,
        description: `How many at most, 1 to ${String(limits.searchResults)}.`,
      }),
    ),
    cursor: Type.Optional(cursorSchema),
  }),
  responses: {
    200: responseObject({
      results: Type.Array(
        Type.Union([
          responseObject({ type: Type.Literal('item'), item: itemSchema, matched }),
          responseObject({ type: Type.Literal('record'), record: recordSchema, matched }),
        ]),
        { description: 'Best first.' },
      ),
      incomplete: Type.Array(Type.String(), {
        description:
          'Resources whose app did not answer within 500 ms; items, when the time was over before all were searched.',
      }),
      cursor: nullable(
        Type.String({ description: 'Goes on where incomplete names items, with the items behind; null otherwise.' }),
      ),
    }),
  },
  example: { query: { q: 'refund', limit: 10 } },
  handle: async ({ deps, caller, query }) => ({
    status: 200,
    body: await searchEverything(deps, caller, query),
    items: true,
  }),
});

export const searchEndpoints: readonly Endpoint[] = [search];
