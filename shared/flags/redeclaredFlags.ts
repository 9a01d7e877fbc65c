/**
 * Declares an environment with what that does to its flags: one that is declared as another kind is as declared until it is
 * changed, or declared as that kind again. Its row keeps what it was; the change has a version, stands in the history and is
 * told. Called where apps register, by the admin command and by the demo.
 */
import type { Administrator } from '../accounts/settings/adminChange.ts';
import {
  defineEnvironment,
  type DefineResult,
  type ManifestDeclaration,
  type RedeclaredFlag,
} from '../accounts/settings/environments/defineEnvironment.ts';
import type { ManifestFlag } from '../app/manifest/manifest.ts';
import type { Tx } from '../platform/db/knex.ts';
import { readFlagRow, readFlagRows, resolveFlag, type FlagRow, type ResolvedFlag } from './model.ts';
import { writeFlagChange } from './write.ts';

/** Returns a flag as its row holds it, whatever kind is declared now. */
const asStored = (declared: ManifestFlag, row: FlagRow): ResolvedFlag =>
  resolveFlag({ ...declared, kind: row.kind, default: row.value }, row);

/** Returns whether a flag is declared as another kind than before; one that was hidden meanwhile was of its row's kind. */
const hasOtherKind = ({ declared, former }: RedeclaredFlag, row: FlagRow | undefined): row is FlagRow =>
  row !== undefined && (former?.kind ?? row.kind) !== declared.kind;

/** Writes the change of a flag's kind. Writes nothing for a flag of the same kind, or one that was never changed. */
const recordKind = async (
  tx: Tx,
  envId: number,
  { by, role, at, requestId, address }: Administrator,
  flag: RedeclaredFlag,
): Promise<void> => {
  const { declared, former } = flag;
  // The lock keeps the version that the write depends on.
  const row = await readFlagRow(tx, envId, declared.key, true);
  if (!hasOtherKind(flag, row)) return;
  const changed = { version: row.version + 1, changes: row.changes + 1, updatedAt: at, updatedBy: by };
  const before = former === undefined ? asStored(declared, row) : resolveFlag(former, row);
  const after = { ...resolveFlag(declared, row), ...changed };
  const kept = { ...asStored(declared, row), ...changed };
  const reason = `It is declared as ${declared.kind} now.`;
  const happening = { at, by: { ...by, role }, requestId, address, approvedBy: null, reason };
  await writeFlagChange(tx, envId, before, after, { happening, saved: null, kept });
};

export type DeclareResult = Omit<DefineResult, 'redeclared'>;

/** Stores a manifest as `defineEnvironment` does, and records the flags whose kind it changes. */
export const declareEnvironment = async (
  tx: Tx,
  admin: Administrator,
  declaration: ManifestDeclaration,
): Promise<DeclareResult> => {
  const { redeclared, ...result } = await defineEnvironment(tx, admin, declaration);
  const { envId, flags } = redeclared;
  const keys = flags.map(({ declared }) => declared.key);
  const rows = new Map((keys.length === 0 ? [] : await readFlagRows(tx, envId, keys)).map((row) => [row.key, row]));
  for (const flag of flags)
    if (hasOtherKind(flag, rows.get(flag.declared.key))) await recordKind(tx, envId, admin, flag);
  return result;
};
