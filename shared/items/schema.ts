/** Answers with items and entries of their timelines. */
import { itemSchema } from '../blocks/itemSchema.ts';
import { entryTypes } from '../catalogue/events.ts';
import { answer, by, id, Type } from '../platform/core/schema.ts';

const time = (description: string) => Type.Integer({ description: `${description} (milliseconds since 1970 UTC)` });

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
