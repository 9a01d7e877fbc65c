/** What lists of items may be asked for: by requests, by views and by blocks of pages. */
import { limits } from '../catalogue/limits.ts';
import { closed, cursor, limit, list, name, Type } from '../platform/core/schema.ts';

export const sorts = ['lastSeen', 'firstSeen', 'occurrences', 'users', 'title', 'due'] as const;
export type Sort = (typeof sorts)[number];

const threeWay = (what: string) => Type.Optional(Type.Union([Type.Literal('1'), Type.Literal('0')], { description: `1: only ${what}; 0: only the others; absent: both.` }));

export const listQuery = closed({
  inbox: Type.Optional(name('One inbox; absent: every inbox that you see.')),
  view: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'A view’s filters; other parameters beat them.' })),
  state: Type.Optional(list(name('A state.'), 'States, any of them')),
  tags: Type.Optional(list(Type.String({ minLength: 1, maxLength: limits.tagMax }), 'Tags, all of them')),
  assignee: Type.Optional(Type.String({ pattern: '^(?:none|me|per_[0-7][0-9a-hjkmnp-tv-z]{25})$', description: 'none, me (persons), or a person’s id.' })),
  search: Type.Optional(Type.String({ minLength: 1, maxLength: limits.searchMax, description: 'Words that the title has; each may be the beginning of one.' })),
  overdue: threeWay('items past their deadline'),
  triaged: threeWay('items that triage closed'),
  snoozed: threeWay('snoozed items'),
  sort: Type.Optional(
    Type.Union(sorts.flatMap((sort) => [Type.Literal(sort), Type.Literal(`-${sort}` as const)]), { description: 'A leading - means descending; -lastSeen when absent.' }),
  ),
  cursor: Type.Optional(cursor),
  limit: Type.Optional(limit),
  count: Type.Optional(Type.Literal('1', { description: '1: answer total too.' })),
});
