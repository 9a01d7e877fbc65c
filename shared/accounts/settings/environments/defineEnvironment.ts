/**
 * Stores the manifest that an environment's app declares: checks it, merges it with the earlier definition, and audits the
 * change. Called by shared/flags/redeclaredFlags.ts.
 */
import { inOrderSql } from '../../../app/manifest/declaredOrder.ts';
import {
  compileDefinition,
  emptyManifest,
  mergeDefinition,
  type StoredDefinition,
} from '../../../app/manifest/definition.ts';
import type { Manifest, ManifestFlag } from '../../../app/manifest/manifest.ts';
import { crossReferenceProblems, problemsMax } from '../../../app/manifest/manifestProblems.ts';
import { readSchemaProblems } from '../../../app/manifest/manifestSchemas.ts';
import { parseManifestParts, type ParsedManifest } from '../../../app/manifest/readManifest.ts';
import { fault, type FaultDetail } from '../../../catalogue/errors.ts';
import type { Tx } from '../../../platform/db/knex.ts';
import { executeStatement, queryRow, statement } from '../../../platform/db/sql.ts';
import { jsonProblem } from '../../../platform/json/jsonLimits.ts';
import { invalidFault } from '../../../platform/json/validate.ts';
import { raiseRevision, recordAdminChange, type Administrator } from '../adminChange.ts';
import { breakingChanges } from './breakingChanges.ts';
import { changedFlags, definitionWarnings, stateKindProblems } from './definitionChanges.ts';
import { definitionDiff } from './definitionDiff.ts';
import { applyRules, type RulesResult } from './definitionRules.ts';
import { looseningWarnings, namesByKind } from './looseningWarnings.ts';
import { readOpenLoosenings, readRulesOf, type LooseningNote } from './ruleStore.ts';

export interface ManifestDeclaration {
  /** The environment's name. */
  readonly environment: string;
  /** As received, unchecked. */
  readonly manifest: unknown;
  /** When the declaring app process started, epoch milliseconds: of several versions the one that started last applies. */
  readonly startedAt: number;
  /** Aborted when nobody waits for it any more: the check of its schemas ends with the signal’s reason. */
  readonly signal?: AbortSignal;
}

export interface RedeclaredFlag {
  readonly declared: ManifestFlag;
  readonly former: ManifestFlag | undefined;
}

export interface DefineResult {
  /** false: the stored manifest is equal, or is that of an app process that started later. */
  readonly changed: boolean;
  readonly warnings: readonly string[];
  /** Keys of the flags whose declaration is new or has changed. */
  readonly flags: readonly string[];
  /** The environment's number, and the same flags with their new and former declarations. */
  readonly redeclared: { readonly envId: number; readonly flags: readonly RedeclaredFlag[] };
  /** The members that are declared less strict than the rule of their name, such as `action refund: danger`. */
  readonly loosened: readonly string[];
  /** The places whose change breaks what waits, such as `action refund: input.ticket`. */
  readonly breaking: readonly string[];
}

interface Stored {
  readonly id: number;
  readonly manifest: Manifest | null;
  readonly definition: StoredDefinition | null;
  readonly startedAt: number | null;
  readonly same: boolean | null;
  /** Whether the members are declared in the same order too. */
  readonly sameOrder: boolean;
  /** Whether the rules were compared with this manifest: an earlier release writes manifests without doing so. */
  readonly ruled: boolean;
  readonly trustApp: boolean;
  readonly acceptNew: boolean;
}

/** Locks the environment's row, as the definition may not exist yet; with no key update, so that inserts of events don't wait. */
const current = statement(
  'definitions.current',
  `
  select e.id, e.trust_app as "trustApp", e.accept_new as "acceptNew", ${inOrderSql('manifest')},
    ${inOrderSql('definition')}, d.started_at as "startedAt", d.manifest = $2::text::jsonb as same,
    d.manifest_in_order::text is not distinct from $2::text as "sameOrder", d.ruled_at is not distinct from d.updated_at as ruled
  from environments e left join definitions d on d.env = e.id where e.name = $1 for no key update of e`,
);
const insert = statement(
  'definitions.insert',
  `
  insert into definitions (env, manifest, definition, manifest_in_order, definition_in_order, started_at, updated_at, ruled_at)
  values ($1, $2::text::jsonb, $3::text::jsonb, $2::text::json, $3::text::json, $4, $5, $5)
  on conflict (env) do update set manifest = excluded.manifest, definition = excluded.definition,
    manifest_in_order = excluded.manifest_in_order, definition_in_order = excluded.definition_in_order,
    started_at = excluded.started_at, updated_at = excluded.updated_at, ruled_at = excluded.ruled_at`,
);
const touch = statement(
  'definitions.touch',
  'update definitions set started_at = greatest(started_at, $2), ruled_at = updated_at where env = $1',
);

/** Returns the problems that the schema of the manifest can't express. */
const contentProblems = async (read: ParsedManifest, signal: AbortSignal | undefined): Promise<FaultDetail[]> => [
  ...crossReferenceProblems(read),
  ...(await readSchemaProblems(read.manifest, signal)),
];

/** Inserts the audit entries of a declaration: what it changes, and which of that a stricter rule keeps from taking effect. */
const recordDefinition = async (
  tx: Tx,
  admin: Administrator,
  environment: string,
  { before, after, rules }: { before: Manifest | null; after: Manifest; rules: RulesResult },
): Promise<void> => {
  const notes = {
    ...(rules.held.length === 0 ? {} : { held: namesByKind(rules.held) }),
    ...(rules.taken.length === 0 ? {} : { loosened: namesByKind(rules.taken) }),
  };
  for (const [i, diff] of definitionDiff(before, after).entries())
    await recordAdminChange(tx, admin, {
      verb: 'environment.define',
      target: { type: 'environment', id: environment },
      environments: [environment],
      before: before === null ? null : diff.before,
      after: i === 0 ? { ...diff.after, ...notes } : diff.after,
    });
};

const loosenedNames = (notes: readonly Pick<LooseningNote, 'type' | 'name' | 'member'>[]): string[] =>
  notes.flatMap(({ type, name, member }) => (member === 'new' ? [] : [`${type} ${name}: ${member}`]));

const unchanged = (
  envId: number,
  warnings: readonly string[],
  notes: Parameters<typeof loosenedNames>[0],
): DefineResult => ({
  changed: false,
  warnings,
  flags: [],
  redeclared: { envId, flags: [] },
  loosened: loosenedNames(notes),
  breaking: [],
});

/** Registers the manifest that is stored already: only its rules may still be compared. */
const defineSame = async (
  tx: Tx,
  admin: Administrator,
  { id, ruled, trustApp, acceptNew }: Stored,
  { manifest, startedAt }: { readonly manifest: Manifest; readonly startedAt: number },
): Promise<DefineResult> => {
  if (ruled) {
    await executeStatement(tx, touch, [id, startedAt]);
    const open = await readOpenLoosenings(tx, id);
    return unchanged(id, looseningWarnings(open, manifest), open);
  }
  const { held } = await applyRules(tx, { envId: id, at: admin.at, trustApp, acceptNew, former: manifest, manifest });
  await executeStatement(tx, touch, [id, startedAt]);
  await raiseRevision(tx);
  return unchanged(id, looseningWarnings(held, manifest), held);
};

/** Stores a manifest. Throws `invalid` with every problem in `details`, `not_found` for an unknown environment. */
export const defineEnvironment = async (
  tx: Tx,
  admin: Administrator,
  { environment, manifest, startedAt, signal }: ManifestDeclaration,
): Promise<DefineResult> => {
  const problem = jsonProblem(manifest);
  if (problem !== null) throw invalidFault([problem]);
  const read = parseManifestParts(manifest);
  if (read.problems.length > 0)
    throw invalidFault([...read.problems, ...(await contentProblems(read, signal))].slice(0, problemsMax));
  const parsed = read.manifest;
  const text = JSON.stringify(parsed);
  const stored = await queryRow<Stored>(tx, current, [environment, text]);
  if (stored === undefined) throw fault('not_found', `There is no environment ${JSON.stringify(environment)}.`);
  if (stored.same === true && stored.sameOrder) return defineSame(tx, admin, stored, { manifest: parsed, startedAt });
  const wrong = await contentProblems(read, signal);
  if (wrong.length > 0) throw invalidFault(wrong.slice(0, problemsMax));
  if (stored.startedAt !== null && stored.startedAt > startedAt) {
    const warning = 'An app that was started later has declared otherwise; its declaration holds.';
    return unchanged(stored.id, [warning], []);
  }
  const { id: envId, manifest: former, trustApp, acceptNew } = stored;
  const known = stored.definition ?? { inboxes: [] };
  const merged = mergeDefinition(known, parsed);
  const before = compileDefinition(former ?? emptyManifest, known, await readRulesOf(tx, envId, former));
  const rules = await applyRules(tx, { envId, at: admin.at, trustApp, acceptNew, former, manifest: parsed });
  const after = compileDefinition(parsed, merged, rules.rules);
  const changed = await stateKindProblems(tx, envId, before, after);
  if (changed.length > 0) throw invalidFault(changed);
  await executeStatement(tx, insert, [envId, text, JSON.stringify(merged), startedAt, admin.at]);
  // Only the order of members: nothing that the audit log could name.
  if (stored.same === true) await raiseRevision(tx);
  else await recordDefinition(tx, admin, environment, { before: former, after: parsed, rules });
  const flags = changedFlags(before, after);
  const breaking = breakingChanges(before, after);
  return {
    changed: true,
    warnings: [
      ...looseningWarnings([...rules.held, ...rules.renamed], parsed),
      ...definitionWarnings(before, after),
      ...breaking.map(({ sentence }) => sentence),
    ],
    flags: flags.map(({ key }) => key),
    redeclared: { envId, flags: flags.map((declared) => ({ declared, former: before.flags.get(declared.key) })) },
    loosened: loosenedNames([...rules.held, ...rules.taken]),
    breaking: [...new Set(breaking.map(({ name }) => name))],
  };
};
