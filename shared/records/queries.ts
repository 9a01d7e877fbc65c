/** Records of stored resources, by reference. */
import type { Db } from '../db/knex.ts';
import { rows, statement } from '../db/sql.ts';
import type { RecordRef } from '../items/model.ts';

export interface StoredRecord {
  readonly resource: string;
  readonly id: string;
  readonly title: string;
  readonly subtitle: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly updatedAt: number | null;
}

const byRefs = statement('records.byRefs', `
  select r.resource, r.id, r.title, r.subtitle, r.fields, r.updated_at as "updatedAt"
  from unnest($2::text[], $3::text[]) as ref(resource, id) join records r on r.env = $1 and r.resource = ref.resource and r.id = ref.id`);

/** The records of `refs` in their order; one that isn't stored here is answered by its reference alone. */
export const readRecords = async (db: Db, env: number, refs: readonly (RecordRef & { title?: string | null })[]): Promise<StoredRecord[]> => {
  if (refs.length === 0) return [];
  const found = await rows<StoredRecord>(db, byRefs, [env, refs.map((ref) => ref.resource), refs.map((ref) => ref.id)]);
  return refs.map(({ resource, id, title }) =>
    found.find((record) => record.resource === resource && record.id === id) ?? { resource, id, title: title ?? id, subtitle: null, fields: {}, updatedAt: null });
};
