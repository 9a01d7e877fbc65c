/** Schemas of erasures: what is asked for, and what is answered. */
import { recordReference } from '../items/links.ts';
import { actorSchema, nullable, responseObject, strictObject, Type, type Static } from '../platform/json/schema.ts';

/** Ids by which reports may name a person, besides the record's. */
const usersMax = 20;

export const erasureInput = strictObject({
  record: recordReference('Whose.'),
  users: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
      maxItems: usersMax,
      description: 'Further ids of theirs in reports.',
    }),
  ),
  linked: Type.Optional(Type.Boolean({ description: 'Also items that only link to it.' })),
  dryRun: Type.Optional(Type.Boolean({ description: 'true: only say what would happen.' })),
  confirmed: Type.Optional(Type.Boolean({ description: 'Must be true where there is a danger level.' })),
});

export type ErasureInput = Static<typeof erasureInput>;

const at = (description: string) => Type.Integer({ description: `${description} (milliseconds since 1970 UTC)` });
const counts = (description: string) => Type.Record(Type.String(), Type.Integer({ minimum: 0 }), { description });

/**
 * By what was erased, or would be: `records`, `items`, `occurrences` of other items, `runs`, `approvals`, `entries`. A dry run also
 * has `linkedItems`, which may stay, and an erasure `messages` of the stream.
 */
export const erasureCountsSchema = counts('How many of each kind.');

export const unreachedSchema = Type.Array(Type.String(), { description: 'archives' });

export type ErasureCounts = Static<typeof erasureCountsSchema>;

export const erasureSchema = responseObject({
  id: Type.String({ pattern: '^era_', description: 'Id.' }),
  record: recordReference('Whose.'),
  users: Type.Array(Type.String(), { description: 'Ids in reports.' }),
  linked: Type.Boolean({ description: 'Whether linked items too.' }),
  status: Type.Union([Type.Literal('running'), Type.Literal('done')], { description: 'How far it is.' }),
  erased: erasureCountsSchema,
  waitsFor: Type.Union([erasureCountsSchema, Type.Null()], { description: 'What has to end before.' }),
  archives: unreachedSchema,
  requestedBy: actorSchema,
  requestedAt: at('requestedAt'),
  finishedAt: nullable(at('finishedAt')),
});

export type ErasureView = Static<typeof erasureSchema>;
/** What has not ended: `runs`, `approvals`, `bulks`, `triages` of items, `replies` that are being sent, `entries` that are not chained. */
export type ErasureWait = ErasureCounts;
