/**
 * Declares an environment with what that does to its flags: one that is declared as another kind is as declared until it is
 * changed, or declared as that kind again. Its row keeps what it was; the change has a version, stands in the history and is
 * told. Called where apps register, by the admin command and by the demo.
 */
import type { ManifestFlag } from '../environments/manifest.ts';
import type { Tx } from '../platform/db/knex.ts';
import type { Administrator } from '../settings/adminChange.ts';
import {
  defineEnvironment,
  type DefineResult,
  type ManifestDeclaration,
  type RedeclaredFlag,
} from '../settings/environments/defineEnvironment.ts';
import { readFlagRow, resolveFlag, type FlagRow, type ResolvedFlag } from './model.ts';
import { writeFlagChange } from './write.ts';

/** Returns a flag as the declaration of the row's kind shows it. */
const asStored = (declared: ManifestFlag, row: FlagRow): ResolvedFlag =>
  resolveFlag({ ...declared, kind: row.kind, default: row.value }, row);

/** Writes that a flag which has been changed before is of another kind now. Does nothing for one of the same kind. */
const recordKind = async (
  tx: Tx,
  envId: number,
  { by, role, at, requestId, address }: Administrator,
  { declared, former }: RedeclaredFlag,
): Promise<void> => {
  for (;;) {
    const row = await readFlagRow(tx, envId, declared.key, true);
    // A flag that was hidden meanwhile was of the row's kind.
    if (row === undefined || (former?.kind ?? row.kind) === declared.kind) return;
    const changed = { version: row.version + 1, changes: row.changes + 1, updatedAt: at, updatedBy: by };
    const before = former === undefined ? asStored(declared, row) : resolveFlag(former, row);
    const after = { ...resolveFlag(declared, row), ...changed };
    const kept = { ...asStored(declared, row), ...changed };
    const reason = `It is declared as ${declared.kind} now.`;
    const happening = { at, by: { ...by, role }, requestId, address, approvedBy: null, reason };
    if (await writeFlagChange(tx, envId, before, after, { happening, saved: null, kept })) return;
  }
};

export type DeclareResult = Omit<DefineResult, 'redeclared'>;

/** Stores a manifest as `defineEnvironment` does, and records the flags whose kind it changes. */
export const declareEnvironment = async (
  tx: Tx,
  admin: Administrator,
  declaration: ManifestDeclaration,
): Promise<DeclareResult> => {
  const { redeclared, ...result } = await defineEnvironment(tx, admin, declaration);
  for (const flag of redeclared.flags) await recordKind(tx, redeclared.envId, admin, flag);
  return result;
};
