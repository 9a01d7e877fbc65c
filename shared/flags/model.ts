/** Flags as rows, resolved with their declaration, and as clients see them. Used by all of shared/flags. */
import type { Access } from '../accounts/access/access.ts';
import type { ManifestFlag } from '../app/manifest/manifest.ts';
import { approvalNeeds } from '../app/manifest/manifestParts.ts';
import type { ActorRef } from '../catalogue/events.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { queryRow, queryRows, statement } from '../platform/db/sql.ts';
import { isObject } from '../platform/json/jsonLimits.ts';
import { type LargeRow, largeRowsSql, storedBytesSql } from '../platform/listing/page.ts';
import type { FlagRule, FlagValueKind } from './evaluate.ts';
import { rampJson, type Ramp } from './ramp.ts';

export interface FlagRow {
  readonly env: number;
  readonly key: string;
  readonly kind: FlagValueKind;
  readonly value: unknown;
  readonly rollout: number | null;
  readonly targets: Readonly<Record<string, unknown>>;
  readonly rules: readonly FlagRule[];
  readonly ramp: Ramp | null;
  readonly ramp_id: string | null;
  readonly version: number;
  readonly changes: number;
  readonly updated_at: number;
  readonly updated_by: ActorRef;
}

/** A flag as it stands now: its declaration with its row. */
export interface ResolvedFlag {
  readonly declared: ManifestFlag;
  readonly value: unknown;
  /** In thousandths of a percent; null: none. */
  readonly rollout: number | null;
  readonly targets: Readonly<Record<string, unknown>>;
  readonly rules: readonly FlagRule[];
  readonly ramp: Ramp | null;
  readonly version: number;
  /** The number of changes by hand, by a guard, or by the end of a ramp; steps of ramps don't count. */
  readonly changes: number;
  readonly updatedAt: number | null;
  readonly updatedBy: ActorRef | null;
}

/** As `GET /flags/:flag` shows it. */
export type FlagView = Readonly<Record<string, unknown>> & { readonly flag: string; readonly version: number };

export const flagColumns =
  'env, key, kind, value, rollout, targets, rules, ramp, ramp_id, version, changes, updated_at, updated_by';

const flagByKeySql = statement('flags.one', `select ${flagColumns} from flags where env = $1 and key = $2`);
const lockedFlagSql = statement(
  'flags.locked',
  `select ${flagColumns} from flags where env = $1 and key = $2 for update`,
);
const flagsByKeysSql = statement(
  'flags.some',
  `select ${flagColumns} from flags where env = $1 and key = any ($2::text[])`,
);

/** In the order in which JavaScript compares keys. */
const flagPageSql = statement(
  'flags.page',
  largeRowsSql({
    as: 'f',
    columns: flagColumns,
    rows: `select ${flagColumns} from flags where env = $1 and key = any ($2::text[])`,
    bytes: storedBytesSql('f.targets', 'f.rules', 'f.value', 'f.ramp'),
    order: 'f.key collate "C"',
  }),
);

export const readFlagRow = (db: Db | Tx, envId: number, key: string, lock = false): Promise<FlagRow | undefined> =>
  queryRow<FlagRow>(db, lock ? lockedFlagSql : flagByKeySql, [envId, key]);

export const readFlagRows = (db: Db | Tx, envId: number, keys: readonly string[]): Promise<FlagRow[]> =>
  queryRows<FlagRow>(db, flagsByKeysSql, [envId, keys]);

/** Returns the rows of keys by key, without the last ones where they are large. */
export const readFlagPage = (db: Db, envId: number, keys: readonly string[]): Promise<(FlagRow & LargeRow)[]> =>
  queryRows<FlagRow & LargeRow>(db, flagPageSql, [envId, keys]);

/** Returns a flag as it stands now. A flag without a row, or whose row is of another kind than declared, has its default. */
export const resolveFlag = (declared: ManifestFlag, stored: FlagRow | undefined): ResolvedFlag => {
  const { version = 1, changes = 0, updated_at: updatedAt = null, updated_by: updatedBy = null } = stored ?? {};
  const about = { declared, version, changes, updatedAt, updatedBy };
  if (stored === undefined || stored.kind !== declared.kind)
    return { ...about, value: declared.default, rollout: null, targets: {}, rules: [], ramp: null };
  const { value, rollout, targets, rules, ramp } = stored;
  return { ...about, value, rollout, targets, rules, ramp };
};

export const toPercent = (thousandths: number): number => thousandths / 1000;

/** Returns a flag as `GET /flags/:flag` shows it at the time `at`, which decides whether a ramp has begun. */
export const flagView = (
  { declared, value, rollout, targets, rules, ramp, version, updatedAt, updatedBy }: ResolvedFlag,
  at: number,
): FlagView => ({
  flag: declared.key,
  kind: declared.kind,
  value,
  rollout: rollout === null ? null : toPercent(rollout),
  targets,
  rules,
  ramp: ramp === null ? null : rampJson(ramp, at),
  approval: approvalNeeds(declared.approval) !== null,
  danger: declared.danger ?? null,
  reasonRequired: declared.reasonRequired ?? false,
  description: declared.description ?? null,
  default: declared.default,
  resource: declared.resource ?? null,
  version,
  updatedAt,
  updatedBy,
});

/**
 * Returns a flag, or its members before or after a change, as a role sees it: without a guard over an inbox that the role
 * does not see, and without the name of a resource that it does not see and targets by its records.
 */
export const redactFlag = <V extends Readonly<Record<string, unknown>>>(
  value: V,
  access: Pick<Access, 'sees'>,
  resource: unknown = value['resource'],
): V => {
  const ramp = isObject(value['ramp']) ? value['ramp'] : {};
  const inbox = isObject(ramp['guard']) ? ramp['guard']['inbox'] : undefined;
  const hidesGuard = typeof inbox === 'string' && !access.sees('inbox', inbox);
  const hidesTargets =
    value['targets'] !== undefined && typeof resource === 'string' && !access.sees('resource', resource);
  const hidesResource = typeof value['resource'] === 'string' && !access.sees('resource', value['resource']);
  if (!hidesGuard && !hidesTargets && !hidesResource) return value;
  return {
    ...value,
    ...(hidesResource ? { resource: null } : {}),
    ...(hidesGuard ? { ramp: { ...ramp, guard: null } } : {}),
    ...(hidesTargets ? { targets: {} } : {}),
  };
};

/** Returns the line that describes a change to the person who approves it. */
export const flagChangeSummary = (key: string, change: object): string => `${key}: ${JSON.stringify(change)}`;

export const flagEtag = (version: number): string => `"${String(version)}"`;
