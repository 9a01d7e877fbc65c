/** Schemas of saved views in requests and responses. For api/routes/savedViews.ts. */
import { displayNameSchema } from '../../accounts/schema.ts';
import { itemSorts } from '../../app/manifest/itemQuery.ts';
import { itemQueryJsonSchema, type JsonItemQuery } from '../../app/manifest/itemQueryJson.ts';
import { actorSchema, nameSchema, nullable, responseObject, strictObject, Type } from '../../platform/json/schema.ts';

const sort = nullable(
  Type.String({
    pattern: `^-?(?:${itemSorts.join('|')})$`,
    description: 'As GET /items takes it; null: the usual one.',
  }),
);
const inbox = nullable(nameSchema('null: all inboxes.'));
const shared = Type.Boolean({
  description: 'For all who see the inbox; without one, for all who see an inbox.',
});

const rest = { inbox: Type.Optional(inbox), sort: Type.Optional(sort), shared: Type.Optional(shared) };
export const savedViewInput = strictObject({ name: displayNameSchema, query: itemQueryJsonSchema, ...rest });
export const savedViewPatch = strictObject(
  { name: Type.Optional(displayNameSchema), query: Type.Optional(itemQueryJsonSchema), ...rest },
  { minProperties: 1 },
);

export interface SavedViewInput {
  readonly name: string;
  /** Without `inbox`. */
  readonly query: JsonItemQuery;
  readonly inbox?: string | null;
  readonly sort?: string | null;
  readonly shared?: boolean;
}
export type SavedViewPatch = Partial<SavedViewInput>;

const at = (description: string) => Type.Integer({ description: `${description} (milliseconds since 1970 UTC)` });

export const savedViewSchema = responseObject({
  id: Type.String({ pattern: '^viw_', description: 'Id.' }),
  name: Type.String({ description: 'For people.' }),
  inbox: nullable(Type.String({ description: 'null: all inboxes.' })),
  query: itemQueryJsonSchema,
  sort: nullable(Type.String({ description: 'null: the usual order.' })),
  shared: Type.Boolean({ description: 'Whether others see it.' }),
  owner: actorSchema,
  createdAt: at('createdAt'),
  updatedAt: at('updatedAt'),
});
