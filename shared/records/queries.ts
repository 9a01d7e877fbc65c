/** Record types, their JSON, and stored records by reference. For everything that reads records. */
import { orderRecord } from '../app/manifest/declaredOrder.ts';
import type { Definition } from '../app/manifest/definition.ts';
import type { RecordRef } from '../items/model.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { queryRows, statement } from '../platform/db/sql.ts';
import { hashJson } from '../platform/json/jsonLimits.ts';

/** A record as responses have it. `updatedAt`: epoch milliseconds; null: not known. */
export interface FullRecord {
  readonly resource: string;
  readonly id: string;
  readonly title: string;
  readonly subtitle: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly updatedAt: number | null;
}

/** A record with its fields as JSON text, as PostgreSQL returns them, so that only those of a page are parsed. */
export interface RawRecord extends Omit<FullRecord, 'fields'> {
  readonly fields: string;
}

/** Returns the record with its fields parsed, in the order in which its resource declares them. */
export const parseRawRecord = (definition: Pick<Definition, 'resources'>, record: FullRecord | RawRecord): FullRecord =>
  orderRecord(definition, {
    ...record,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the column `fields` has only JSON objects, checked when they are stored
    fields: typeof record.fields === 'string' ? (JSON.parse(record.fields) as FullRecord['fields']) : record.fields,
  });

const recordsByRefsSql = statement(
  'records.byRefs',
  `
  select r.resource, r.id, r.title, r.subtitle, r.fields, r.updated_at as "updatedAt"
  from unnest($2::text[], $3::text[]) as ref(resource, id) join records r on r.env = $1 and r.resource = ref.resource and r.id = ref.id`,
);

/** A column of the detail of the item `i`: the stored records of its own reference and of its links, as JSON. Each is looked up: a join may read all records. */
export const recordsOfItemSql = `(
  select json_agg(found)::text
  from (select i.record_resource as resource, i.record_id as id union all select l ->> 'resource', l ->> 'id' from jsonb_array_elements(i.links) l) ref
  cross join lateral (
    select r.resource, r.id, r.title, r.subtitle, r.fields, r.updated_at as "updatedAt"
    from records r where r.env = $1 and r.resource = ref.resource and r.id = ref.id offset 0) found)`;

const lockedRecordsSql = statement(
  'records.locked',
  `
  select r.resource, r.id, r.title, r.subtitle, r.fields, r.updated_at as "updatedAt"
  from unnest($2::text[], $3::text[]) as ref(resource, id) join records r on r.env = $1 and r.resource = ref.resource and r.id = ref.id
  for share of r`,
);

/** Returns what stands for what a record shows; the time of its change does not count. */
export const hashRecord = (record: unknown): string => {
  const { title, subtitle, fields }: Partial<FullRecord> = record ?? {};
  return hashJson([title, subtitle, fields]);
};

type Ref = RecordRef & { readonly title?: string | null };

/** Returns a record made of its reference alone, in place of one that can't be read. */
const placeholderRecord = ({ resource, id, title }: Ref): FullRecord => ({
  resource,
  id,
  title: title ?? id,
  subtitle: null,
  fields: {},
  updatedAt: null,
});

const refKey = ({ resource, id }: RecordRef): string => `${resource}\n${id}`;

/** Returns the stored records of `refs`, in no order; one statement. `lock`: nobody changes them before the transaction ends. */
export const findRecords = async (
  db: Db | Tx,
  envId: number,
  refs: readonly RecordRef[],
  lock = false,
): Promise<FullRecord[]> =>
  refs.length === 0
    ? []
    : queryRows<FullRecord>(db, lock ? lockedRecordsSql : recordsByRefsSql, [
        envId,
        refs.map((ref) => ref.resource),
        refs.map((ref) => ref.id),
      ]);

/** Returns a record for each of `refs`, in their order: the one of `found`, or a placeholder made of the reference. */
export const inReferenceOrder = (refs: readonly Ref[], found: readonly FullRecord[]): FullRecord[] => {
  const known = new Map(found.map((record) => [refKey(record), record]));
  return refs.map((ref) => known.get(refKey(ref)) ?? placeholderRecord(ref));
};
