/** Schemas of responses with items and timeline entries, for the endpoints of items. */
import { itemSchema } from '../blocks/itemSchema.ts';
import { entryTypes } from '../catalogue/events.ts';
import { actorSchema, idSchema, responseObject, Type } from '../platform/core/schema.ts';

const timestampSchema = (description: string) =>
  Type.Integer({ description: `${description} (milliseconds since 1970 UTC)` });

export const entrySchema = responseObject({
  id: idSchema('ent', 'The entry.'),
  item: idSchema('itm', 'Its item.'),
  type: Type.String({ description: `One of ${entryTypes.join(', ')}; more may come.` }),
  at: timestampSchema('When it happened'),
  actor: actorSchema,
  data: Type.Object({}, { description: 'What happened; its members depend on the type.' }),
});

export const changedItemResponse = responseObject({
  item: itemSchema,
  changed: Type.Boolean({ description: 'false: there was nothing to do, and nothing was recorded.' }),
});
export const entryResponse = responseObject({ item: itemSchema, entry: entrySchema });
