/** What the request for an approval keeps of an action's input for its sentence. Used by runApproval.ts and bulk/bulkApproval.ts. */
import { declaredOf, type ActionDefinition } from '../../app/manifest/actions.ts';
import type { Environment } from '../../app/manifest/definition.ts';
import { inputTexts, memberOf, type InputTexts } from '../../app/manifest/money.ts';
import type { Db } from '../../platform/db/knex.ts';
import { findRecords } from '../../records/queries.ts';

/** Returns the stored records that an input names by `x-resource`. */
const pickedIn = ({ definition }: Environment, { input: schema }: ActionDefinition, input: object) =>
  Object.entries(input).flatMap(([name, id]: [string, unknown]) => {
    const resource = memberOf(memberOf(memberOf(schema, 'properties'), name), 'x-resource');
    return typeof id === 'string' &&
      typeof resource === 'string' &&
      definition.resources.get(resource)?.source === 'stored'
      ? [{ name, resource, id }]
      : [];
  });

/** Returns the members that the action declares, their texts, and the titles of the records among them. `fields`: of the record; null: of a bulk. */
export const inputOfRequest = async (
  { db }: { readonly db: Db },
  env: Environment,
  { action, input }: { readonly action: ActionDefinition; readonly input: object },
  fields: unknown,
): Promise<InputTexts & { readonly declared: readonly string[] }> => {
  const picked = pickedIn(env, action, input);
  const records = await findRecords(db, env.id, picked);
  const titleOf = (ref: (typeof picked)[number]): string | null =>
    records.find(({ resource, id }) => resource === ref.resource && id === ref.id)?.title ?? null;
  return {
    declared: declaredOf(action, input),
    ...inputTexts(action.input, input, fields),
    ...(picked.length === 0
      ? {}
      : {
          picked: Object.fromEntries(picked.map((ref) => [ref.name, { resource: ref.resource, title: titleOf(ref) }])),
        }),
  };
};
