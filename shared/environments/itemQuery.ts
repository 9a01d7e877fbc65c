/** The query of item lists, for `GET /items`, views and blocks of pages. */
import { limits } from '../catalogue/limits.ts';
import { csvListSchema, cursorSchema, limitSchema, nameSchema, strictObject, Type } from '../platform/core/schema.ts';

export const itemSorts = ['lastSeen', 'firstSeen', 'occurrences', 'users', 'title', 'due'] as const;
export type ItemSort = (typeof itemSorts)[number];

const threeWay = (what: string) =>
  Type.Optional(
    Type.Union([Type.Literal('1'), Type.Literal('0')], {
      description: `1: only ${what}; 0: only the others; absent: both.`,
    }),
  );

export const itemListQuery = strictObject({
  inbox: Type.Optional(nameSchema('One inbox; absent: every inbox that you see.')),
  view: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'A view’s filters; other parameters beat them.' }),
  ),
  state: Type.Optional(csvListSchema(nameSchema('A state.'), 'States, any of them')),
  tags: Type.Optional(csvListSchema(Type.String({ minLength: 1, maxLength: limits.tagMax }), 'Tags, all of them')),
  assignee: Type.Optional(
    Type.String({
      pattern: '^(?:none|me|per_[0-7][0-9a-hjkmnp-tv-z]{25})$',
      description: 'none, me (persons), or a person’s id.',
    }),
  ),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.searchMax,
      description: 'Words that the title has; each may be the beginning of one.',
    }),
  ),
  overdue: threeWay('items past their deadline'),
  triaged: threeWay('items that triage closed'),
  snoozed: threeWay('snoozed items'),
  sort: Type.Optional(
    Type.Union(
      itemSorts.flatMap((sort) => [Type.Literal(sort), Type.Literal(`-${sort}` as const)]),
      { description: 'A leading - means descending; -lastSeen when absent.' },
    ),
  ),
  cursor: Type.Optional(cursorSchema),
  limit: Type.Optional(limitSchema),
  count: Type.Optional(Type.Literal('1', { description: '1: answer total too.' })),
});
