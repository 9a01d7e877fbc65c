/**
 * Declares an environment with what that does to its flags: one of another kind than before falls back to its new default, as a
 * change that is in its history, so that no value of an earlier declaration comes back. Called where apps register, by the
 * admin command and by the demo.
 */
import type { ManifestFlag } from '../environments/manifest.ts';
import type { Tx } from '../platform/db/knex.ts';
import type { Administrator } from '../settings/adminChange.ts';
import {
  defineEnvironment,
  type DefineResult,
  type ManifestDeclaration,
} from '../settings/environments/defineEnvironment.ts';
import { readFlagRow, resolveFlag, type FlagRow } from './model.ts';
import { writeFlagChange } from './write.ts';

/** Returns the declaration that a flag had; null when it is of the same kind as now, or was never there. */
const formerOf = (
  declared: ManifestFlag,
  former: ManifestFlag | undefined,
  row: FlagRow | undefined,
): ManifestFlag | null => {
  // A flag that was hidden meanwhile is known by its row alone.
  const was = former ?? (row === undefined ? declared : { ...declared, kind: row.kind });
  return was.kind === declared.kind && (row === undefined || row.kind === declared.kind) ? null : was;
};

/** Writes the default of a flag whose kind has changed. Does nothing for one of the same kind. */
const resetFlag = async (
  tx: Tx,
  envId: number,
  { by, role, at, requestId, address }: Administrator,
  { declared, former }: { readonly declared: ManifestFlag; readonly former: ManifestFlag | undefined },
): Promise<void> => {
  for (;;) {
    const row = await readFlagRow(tx, envId, declared.key, true);
    const was = formerOf(declared, former, row);
    if (was === null) return;
    const before = resolveFlag(was, row);
    const after = {
      ...resolveFlag(declared, undefined),
      version: before.version + 1,
      changes: before.changes + 1,
      updatedAt: at,
      updatedBy: by,
    };
    const reason = `It is declared as ${declared.kind} now.`;
    const happening = { at, by: { ...by, role }, requestId, address, approvedBy: null, reason };
    if (await writeFlagChange(tx, envId, before, after, { happening, saved: null })) return;
  }
};

export type DeclareResult = Omit<DefineResult, 'redeclared'>;

/** Stores a manifest as `defineEnvironment` does, and resets the flags whose kind it changes. */
export const declareEnvironment = async (
  tx: Tx,
  admin: Administrator,
  declaration: ManifestDeclaration,
): Promise<DeclareResult> => {
  const { redeclared, ...result } = await defineEnvironment(tx, admin, declaration);
  for (const flag of redeclared.flags) await resetFlag(tx, redeclared.envId, admin, flag);
  return result;
};
