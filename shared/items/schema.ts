/** Items as they are answered, and what lists of them may be asked for. */
import { entryTypes } from '../catalogue/events.ts';
import { limits } from '../catalogue/limits.ts';
import { sorts } from './list/request.ts';
import { answer, by, closed, cursor, id, limit, list, name, nullable, Type } from '../core/schema.ts';

const time = (description: string) => Type.Integer({ description: `${description} (milliseconds since 1970 UTC)` });

export const itemSchema = answer({
  id: id('itm', 'The item.'),
  inbox: Type.String({ description: 'The inbox that it belongs to.' }),
  title: Type.String({ description: 'Its title.' }),
  state: Type.String({ description: 'Its state, one of the inbox’s.' }),
  record: nullable(
    answer({ resource: Type.String(), id: Type.String(), title: nullable(Type.String()) }, { description: 'The record that it is linked to; null also when you can’t see that resource.' }),
  ),
  tags: Type.Array(Type.String(), { description: 'Sorted.' }),
  assignee: nullable(Type.String({ description: 'A person’s id.' })),
  occurrences: Type.Integer({ minimum: 1, description: 'How often it was reported.' }),
  users: Type.Integer({ minimum: 0, description: 'How many distinct users it affected.' }),
  firstSeen: time('When it was first reported'),
  lastSeen: time('When it was last reported: its activity'),
  dueAt: nullable(time('When a response is due')),
  fields: Type.Object({}, { description: 'Further fields, as the inbox declares them.' }),
  snoozedUntil: nullable(time('When it wakes')),
  triaged: Type.Boolean({ description: 'Whether triage closed it.' }),
  createdAt: time('When it was created'),
  updatedAt: time('When it last changed'),
  version: Type.Integer({ minimum: 1, description: 'Raised by every change; send it as if-match.' }),
});

export const entrySchema = answer({
  id: id('ent', 'The entry.'),
  item: id('itm', 'Its item.'),
  type: Type.String({ description: `One of ${entryTypes.join(', ')}; more may come.` }),
  at: time('When it happened'),
  actor: by,
  data: Type.Object({}, { description: 'What happened; its members depend on the type.' }),
});

export const changedAnswer = answer({ item: itemSchema, changed: Type.Boolean({ description: 'false: there was nothing to do, and nothing was recorded.' }) });
export const entryAnswer = answer({ item: itemSchema, entry: entrySchema });

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
