/**
 * What settings resources have in common when they are read and changed: rows become what the API answers, within the reach
 * of the administrator, and each change is audited. Used by the rows of the resources, such as roles.ts.
 */
import { fault, invalidAt } from '../../catalogue/errors.ts';
import { isUniqueViolation } from '../../platform/db/errors.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { queryRow, statement } from '../../platform/db/sql.ts';
import { tableOf, type OrderBy, type Row, type TableRow } from '../../platform/db/table.ts';
import { addIdPrefix, newId } from '../../platform/ids.ts';
import type { Static, TObject } from '../../platform/json/schema.ts';
import {
  lockRole,
  recordAdminChange,
  requireReach,
  requireWholeReach,
  resolveEnvironmentNames,
  sharesReach,
  type Administrator,
  type RoleRef,
} from './adminChange.ts';
import type { ResourcePlace } from './resource.ts';

/** Who shares one of them: all environments; the environment of its column `env`; or those that its column `environments` names, with a role. */
type Scope = 'service' | 'environment' | 'reach';

interface StoreRow<V extends TObject, I extends TObject> {
  /** The word for one of them: the type of audited targets, the first part of verbs, and the member of answers. */
  readonly type: string;
  /** The prefix of its ids: three letters. */
  readonly prefix: string;
  readonly scope: Scope;
  readonly table: Omit<TableRow, 'belongsTo'>;
  readonly order: readonly OrderBy[];
  /** The schema of one in answers: `role` and `environment` come from the rows that its columns name, all else from its columns. */
  readonly view: V;
  /** The schema of the input that makes one. A change takes any part of it. */
  readonly input: I;
  /** Values of what a new one is made without. */
  readonly defaults?: Partial<Static<I>>;
  /** The members that the audit log has. */
  readonly audited: readonly (keyof Static<V> & string)[];
  /** The constraint by which names are unique; absent: they need not be. */
  readonly unique?: string;
  /** Throws `invalid` for what neither the schema nor the database refuses. */
  readonly check?: (given: Partial<Static<I>>, at: number) => void;
}

export interface Viewed {
  readonly id: string;
  readonly name: string;
}

export interface Store<V extends Viewed = Viewed, I = unknown> {
  list(db: Db | Tx): Promise<V[]>;
  find(db: Db | Tx, id: string): Promise<V | undefined>;
  /** Returns those that the caller of a verb sees there. */
  listSeen(place: Pick<ResourcePlace, 'db' | 'reach' | 'here'>): Promise<V[]>;
  /** Returns one, locked for a change. Throws `not_found` and `forbidden` by the reach of the administrator. */
  lock(tx: Tx, admin: Administrator, id: string): Promise<V>;
  /** Inserts one, and returns it. `where`: the environments of one that names none itself. Throws `conflict` for a name that exists. */
  insert(tx: Tx, admin: Administrator, input: I, where: readonly string[]): Promise<V>;
  /** Inserts and audits one, and returns it. */
  create(tx: Tx, admin: Administrator, input: I, where: readonly string[]): Promise<V>;
  /** Writes what the patch changes of one that is locked, and returns it anew; itself when nothing changes. */
  write(tx: Tx, admin: Administrator, before: V, patch: Partial<I>): Promise<V>;
  /** Locks, writes and audits a change, and returns what it makes. Writes nothing when the patch changes nothing. */
  update(tx: Tx, admin: Administrator, id: string, patch: Partial<I>): Promise<V>;
  /** Ends one that is locked, and audits that. */
  end(tx: Tx, admin: Administrator, verb: string, before: V): Promise<void>;
  /** Inserts the audit entries of a change, in each environment of the resource before and after it. */
  record(tx: Tx, admin: Administrator, verb: string, before: V | null, after: V | null): Promise<void>;
  /** The same for a change that the members don't show. */
  recordValues(tx: Tx, admin: Administrator, verb: string, of: V, after: object): Promise<void>;
}

const environmentSql = statement('settings.environment', 'select id from environments where name = $1');

/** Returns the column `env` of a new row. Throws `invalid` for an environment that does not exist. */
const environmentColumn = async (tx: Tx, name: string): Promise<Row> => {
  const found = await queryRow<{ id: number }>(tx, environmentSql, [name]);
  if (found === undefined) throw invalidAt('environment', `there is no environment ${JSON.stringify(name)}`);
  return { env: found.id };
};

const relations: Readonly<Record<Scope, TableRow['belongsTo']>> = {
  service: {},
  environment: { itsEnvironment: ['env', 'environments'] },
  reach: { itsRole: ['role', 'roles'] },
};

const viewOf = (members: readonly string[], row: Row): Row => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- rows that a row belongs to have an id and a name
  const { itsRole, itsEnvironment } = row as { readonly itsRole?: RoleRef; readonly itsEnvironment?: RoleRef };
  const read = (name: string): unknown => {
    if (name === 'role' && itsRole !== undefined) return { id: itsRole.id, name: itsRole.name };
    return name === 'environment' ? itsEnvironment?.name : row[name];
  };
  return Object.fromEntries(members.map((name) => [name, read(name)]));
};

const withoutAbsent = (given: object): Row =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

/** Returns the names and ids of the given roles and environments, and everything else as it is. */
const resolveGiven = async (tx: Tx, admin: Administrator, given: Row): Promise<Row> => {
  const { role, environments } = given;
  return {
    ...given,
    ...(typeof role === 'string' ? { role: await lockRole(tx, role) } : {}),
    ...(Array.isArray(environments)
      ? { environments: await resolveEnvironmentNames(tx, admin, environments.map(String)) }
      : {}),
  };
};

/** Returns the columns of what was resolved. */
const toColumns = ({ role, ...rest }: Row): Row =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `resolveGiven` made
  role === undefined ? rest : { ...rest, role: (role as RoleRef).id };

/** Returns how a kind of settings is read and changed. */
export const settingsStore = <V extends TObject, I extends TObject>({
  type,
  prefix,
  scope,
  table,
  order,
  view,
  defaults = {},
  audited,
  unique,
  check = () => undefined,
}: StoreRow<V, I>): Store<Static<V> & Viewed, Static<I>> => {
  type View = Static<V> & Viewed;
  addIdPrefix(prefix);
  const rows = tableOf({ ...table, belongsTo: relations[scope] ?? {} });
  const members = Object.keys(view.properties);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns of the table are the members of the schema
  const toView = (row: Row): View => viewOf(members, row) as View;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the scope tells which of both it has
  const scopeOf = (one: View) => one as { readonly environment?: string; readonly environments?: readonly string[] };
  const environmentsOf = (one: View): readonly string[] => {
    const { environment, environments } = scopeOf(one);
    return scope === 'service' ? ['*'] : (environments ?? [environment ?? '']);
  };
  const auditJson = (one: View): object =>
    Object.fromEntries(
      audited.map((name) => {
        const value: unknown = one[name];
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as `viewOf` made it
        return [name, name === 'role' ? (value as RoleRef).name : value];
      }),
    );
  const uniquely = async (name: unknown, write: () => Promise<void>): Promise<void> => {
    try {
      await write();
    } catch (error) {
      if (unique === undefined || !isUniqueViolation(error, unique)) throw error;
      throw fault('conflict', `There is already a ${type} ${JSON.stringify(name)}.`);
    }
  };
  const stamps = (admin: Administrator): Row => ({
    createdAt: admin.at,
    ...('updatedAt' in view.properties ? { updatedAt: admin.at } : {}),
    ...('createdBy' in view.properties ? { createdBy: admin.by.type === 'person' ? admin.by.id : null } : {}),
  });
  const store: Store<View, Static<I>> = {
    list: async (db) => (await rows.list(db, order)).map(toView),
    find: async (db, id) => {
      const found = await rows.find(db, id);
      return found && toView(found);
    },
    listSeen: async ({ db, reach, here }) =>
      (await store.list(db)).filter((one) => {
        if (scope === 'reach') return sharesReach({ reach }, { environments: environmentsOf(one) });
        return scope === 'service' || scopeOf(one).environment === here;
      }),
    lock: async (tx, admin, id) => {
      if (scope === 'service') await requireWholeReach(tx, admin);
      const ofHere = scope === 'environment' && admin.env !== null;
      const found = await rows.lock(tx, id, ofHere ? { env: admin.env } : {});
      if (found === undefined) throw fault('not_found');
      const one = toView(found);
      if (scope === 'reach') requireReach(admin, { environments: environmentsOf(one) });
      return one;
    },
    insert: async (tx, admin, given, where) => {
      if (scope === 'service') await requireWholeReach(tx, admin);
      const wanted: Row = {
        ...defaults,
        ...(scope === 'reach' ? { environments: where } : {}),
        ...withoutAbsent(given),
      };
      check(given, admin.at);
      const id = newId(prefix, admin.at);
      const place = scope === 'environment' ? await environmentColumn(tx, where[0] ?? '') : {};
      const made = { id, ...place, ...toColumns(await resolveGiven(tx, admin, wanted)), ...stamps(admin) };
      await uniquely(wanted['name'], () => rows.insert(tx, made));
      return store.lock(tx, admin, id);
    },
    create: async (tx, admin, given, where) => {
      const one = await store.insert(tx, admin, given, where);
      await store.record(tx, admin, 'create', null, one);
      return one;
    },
    write: async (tx, admin, before, patch) => {
      check(patch, admin.at);
      const given = await resolveGiven(tx, admin, withoutAbsent(patch));
      const after = { ...before, ...given };
      if (JSON.stringify(after) === JSON.stringify(before)) return before;
      const stamp = 'updatedAt' in view.properties ? { updatedAt: admin.at } : {};
      await uniquely(after.name, () => rows.update(tx, before.id, { ...toColumns(given), ...stamp }));
      return (await store.find(tx, before.id)) ?? before;
    },
    update: async (tx, admin, id, patch) => {
      const before = await store.lock(tx, admin, id);
      const after = await store.write(tx, admin, before, patch);
      if (after !== before) await store.record(tx, admin, 'update', before, after);
      return after;
    },
    end: async (tx, admin, verb, before) => {
      await rows.end(tx, before.id, admin.at);
      await store.record(tx, admin, verb, before, null);
    },
    record: (tx, admin, verb, before, after) =>
      recordAdminChange(tx, admin, {
        verb: `${type}.${verb}`,
        target: { type, id: (after ?? before)?.id ?? '' },
        environments: [before, after].flatMap((one) => (one === null ? [] : environmentsOf(one))),
        before: before && auditJson(before),
        after: after && auditJson(after),
      }),
    recordValues: (tx, admin, verb, of, after) =>
      recordAdminChange(tx, admin, {
        verb: `${type}.${verb}`,
        target: { type, id: of.id },
        environments: environmentsOf(of),
        before: null,
        after,
      }),
  };
  return store;
};
