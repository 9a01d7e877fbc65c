/** Schemas of responses with items and timeline entries, for the endpoints of items. */
import { itemSchema } from '../blocks/itemSchema.ts';
import { entryTypes } from '../catalogue/events.ts';
import { actorSchema, idSchema, responseObject, Type } from '../platform/core/schema.ts';

const timestampSchema = (description: string) =>
  Type.Integer({ description: `${description} (milliseconds since 1970 UTC)` });

export const entrySchema = responseObject({
  id: idSchema('ent', 'Id.'),
  item: idSchema('itm', 'Its item.'),
  type: Type.String({ description: `One of ${entryTypes.join(', ')}; more may come.` }),
  at: timestampSchema('at'),
  actor: actorSchema,
  data: Type.Object({}, { description: 'Its members depend on the type.' }),
});

export const changedItemResponse = responseObject({
  item: itemSchema,
  changed: Type.Boolean({ description: 'false: it was so already.' }),
});
export const updatedItemResponse = responseObject({
  ...changedItemResponse.properties,
  entries: Type.Array(entrySchema, { description: 'New entries, in order.' }),
});
export const itemDryRunResponse = responseObject({
  dryRun: Type.Literal(true),
  would: Type.Union([Type.Literal('change'), Type.Literal('pend'), Type.Literal('nothing')], {
    description: 'pend: a person has to approve it; nothing: it is so already.',
  }),
  item: itemSchema,
  changed: Type.Boolean({ description: 'Whether the item would change.' }),
});
export const entryResponse = responseObject({ item: itemSchema, entry: entrySchema });
export const entriesResponse = responseObject({
  ...entryResponse.properties,
  entries: updatedItemResponse.properties.entries,
});
