/** Records of stored resources, by reference. */
import type { Db, Tx } from '../platform/db/knex.ts';
import { queryRows, statement } from '../platform/db/sql.ts';
import type { RecordRef } from '../items/model.ts';

/** A record as it is answered. `updatedAt` null: not known. */
export interface FullRecord {
  readonly resource: string;
  readonly id: string;
  readonly title: string;
  readonly subtitle: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly updatedAt: number | null;
}

/** The same with its fields as JSON text, as PostgreSQL has them: lists are answered without parsing them. */
export interface RawRecord extends Omit<FullRecord, 'fields'> {
  readonly fields: string;
}

export const parseRawRecord = (record: FullRecord | RawRecord): FullRecord => ({
  ...record,
  fields: typeof record.fields === 'string' ? (JSON.parse(record.fields) as FullRecord['fields']) : record.fields,
});

export const recordJson = ({ resource, id, title, subtitle, fields, updatedAt }: FullRecord | RawRecord): string =>
  `{"resource":"${resource}","id":${JSON.stringify(id)},"title":${JSON.stringify(title)},"subtitle":${JSON.stringify(subtitle)},"fields":${typeof fields === 'string' ? fields : JSON.stringify(fields)},"updatedAt":${String(updatedAt)}}`;

const recordsByRefsSql = statement(
  'records.byRefs',
  `
  select r.resource, r.id, r.title, r.subtitle, r.fields, r.updated_at as "updatedAt"
  from unnest($2::text[], $3::text[]) as ref(resource, id) join records r on r.env = $1 and r.resource = ref.resource and r.id = ref.id`,
);

type Ref = RecordRef & { readonly title?: string | null };

/** What is known of a record that can't be read: its reference. */
const placeholderRecord = ({ resource, id, title }: Ref): FullRecord => ({
  resource,
  id,
  title: title ?? id,
  subtitle: null,
  fields: {},
  updatedAt: null,
});

const refKey = ({ resource, id }: RecordRef): string => `${resource}\n${id}`;

/** The stored ones of `refs`, in any order. */
export const findRecords = async (db: Db | Tx, env: number, refs: readonly RecordRef[]): Promise<FullRecord[]> =>
  refs.length === 0
    ? []
    : queryRows<FullRecord>(db, recordsByRefsSql, [env, refs.map((ref) => ref.resource), refs.map((ref) => ref.id)]);

/** `refs` in their order, each answered by the record of `found` or by its reference alone. */
export const inReferenceOrder = (refs: readonly Ref[], found: readonly FullRecord[]): FullRecord[] => {
  const known = new Map(found.map((record) => [refKey(record), record]));
  return refs.map((ref) => known.get(refKey(ref)) ?? placeholderRecord(ref));
};
