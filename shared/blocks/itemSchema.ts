/** The schema of an item in responses, by itself and inside blocks. */
import { idSchema, nullable, responseObject, Type } from '../platform/core/schema.ts';

const time = (description: string) => Type.Integer({ description: `${description} (milliseconds since 1970 UTC)` });

export const itemSchema = responseObject({
  id: idSchema('itm', 'Id.'),
  inbox: Type.String({ description: 'Its inbox.' }),
  title: Type.String({ description: 'Its title.' }),
  state: Type.String({ description: 'Its state, one of the inbox’s.' }),
  record: nullable(
    responseObject(
      {
        resource: Type.String({ description: 'Its resource.' }),
        id: Type.String({ description: 'Its id in the app.' }),
        title: nullable(Type.String({ description: 'Its title; null: not known here.' })),
      },
      { description: 'Its record; null also when you can’t see that resource.' },
    ),
  ),
  tags: Type.Array(Type.String(), { description: 'Sorted.' }),
  assignee: nullable(Type.String({ description: 'A person’s id.' })),
  occurrences: Type.Integer({ minimum: 1, description: 'How often it was reported.' }),
  users: Type.Integer({ minimum: 0, description: 'How many users it affected.' }),
  firstSeen: time('First report'),
  lastSeen: time('Last report: its activity'),
  dueAt: nullable(time('When a response is due')),
  fields: Type.Object({}, { description: 'Further fields, as the inbox declares them.' }),
  snoozedUntil: nullable(time('When it wakes')),
  triaged: Type.Boolean({ description: 'Whether triage closed it.' }),
  createdAt: time('createdAt'),
  updatedAt: time('updatedAt'),
  version: Type.Integer({ minimum: 1, description: 'Raised by changes; send it as if-match.' }),
});
