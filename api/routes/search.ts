/** The endpoint that searches items and records at once. */
import { itemSchema } from '../../shared/blocks/itemSchema.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { csvListSchema, responseObject, strictObject, Type } from '../../shared/platform/core/schema.ts';
import { recordSchema } from '../../shared/records/schema.ts';
import { searchEverything, searchTypes } from '../../shared/views/search/search.ts';
import { readEndpoint, type Endpoint } from '../endpoint.ts';

const matched = Type.String({
  maxLength: limits.excerptMax,
  description: 'Where it was found.',
});

const search = readEndpoint({
  path: '/search',
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
  }),
  responses: {
    200: responseObject({
      results: Type.Array(
        Type.Union([
          responseObject({ type: Type.Literal('item'), item: itemSchema, matched }),
          responseObject({ type: Type.Literal('record'), record: recordSchema, matched }),
        ]),
        { description: 'Best first; there are no further pages.' },
      ),
      incomplete: Type.Array(Type.String(), {
        description: 'Resources whose app did not answer within 500 ms.',
      }),
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
