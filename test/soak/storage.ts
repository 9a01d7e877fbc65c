/** Sizes of tables and indexes as a soak left them, beside what the same rows take when they are written anew. */
import type { Site } from '../chaos/support/site.ts';

export interface RelationSize {
  readonly name: string;
  readonly kind: 'table' | 'index';
  readonly mb: number;
  /** After `VACUUM FULL`, which writes every table and index anew. */
  readonly liveMb: number;
  readonly ratio: number;
}

export interface Storage {
  readonly totalMb: number;
  readonly liveMb: number;
  readonly ratio: number;
  /** The largest first, those of `leastMb` and more. */
  readonly relations: readonly RelationSize[];
}

const leastMb = 0.1;

const sizesSql = `select c.relname as name, case c.relkind when 'r' then 'table' else 'index' end as kind,
    case c.relkind when 'r' then pg_table_size(c.oid) else pg_relation_size(c.oid) end::float8 / 1048576 as mb
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'public' and c.relkind in ('r', 'i')`;

type Size = Pick<RelationSize, 'name' | 'kind' | 'mb'>;

const round = (value: number): number => Math.round(value * 100) / 100;
const ratioOf = (mb: number, liveMb: number): number => round(mb / Math.max(liveMb, 1 / 128));

/** Ends all processes, writes the database anew, and returns the sizes from before and after. */
export const measureStorage = async (site: Site): Promise<Storage> => {
  await Promise.all([...site.apis, ...site.workers].map((unit) => unit.terminate()));
  const before = await site.sql<Size>(sizesSql);
  await site.sql('vacuum full');
  const after = new Map((await site.sql<Size>(sizesSql)).map(({ name, mb }) => [name, mb]));
  const total = (sizes: Iterable<number>): number => [...sizes].reduce((sum, mb) => sum + mb, 0);
  const [totalMb, liveMb] = [total(before.map(({ mb }) => mb)), total(after.values())];
  const relations = before
    .filter(({ mb }) => mb >= leastMb)
    .map(({ name, kind, mb }) => {
      const live = after.get(name) ?? 0;
      return { name, kind, mb: round(mb), liveMb: round(live), ratio: ratioOf(mb, live) };
    })
    .sort((a, b) => b.mb - a.mb);
  return { totalMb: round(totalMb), liveMb: round(liveMb), ratio: ratioOf(totalMb, liveMb), relations };
};

/** What a table that fills and empties, such as a queue, may keep for its next filling, in MB. */
const turnoverMb = 16;

/** Returns the names of what takes more than `most` times the room of its rows. */
export const bloated = ({ relations, ...all }: Storage, most: number): string[] => [
  ...(all.ratio > most && all.totalMb > most * all.liveMb + turnoverMb ? ['the database'] : []),
  ...relations.filter(({ mb, liveMb }) => mb > most * liveMb + turnoverMb).map(({ name }) => name),
];
