/**
 * Stores the manifest that an environment's app declares: checks it, merges it with the earlier definition, and audits the
 * change. Called when an app registers, by the admin command and by the demo's loader.
 */
import { fault, type FaultDetail } from '../../catalogue/errors.ts';
import {
  compileDefinition,
  emptyManifest,
  mergeDefinition,
  type StoredDefinition,
} from '../../environments/definition.ts';
import { type Manifest } from '../../environments/manifest.ts';
import { crossReferenceProblems, problemsMax } from '../../environments/manifestProblems.ts';
import { readSchemaProblems } from '../../environments/manifestSchemas.ts';
import { parseManifestParts, type ParsedManifest } from '../../environments/readManifest.ts';
import { jsonProblem } from '../../platform/core/jsonLimits.ts';
import { invalidFault } from '../../platform/core/validate.ts';
import type { Tx } from '../../platform/db/knex.ts';
import { executeStatement, queryRow, statement } from '../../platform/db/sql.ts';
import { recordAdminChange, type Administrator } from '../adminChange.ts';
import { changedFlagKeys, definitionWarnings, stateKindProblems } from './definitionChanges.ts';

interface ManifestDeclaration {
  /** The environment's name. */
  readonly environment: string;
  /** As received, unchecked. */
  readonly manifest: unknown;
  /** When the declaring app process started, epoch milliseconds: of several versions the one that started last applies. */
  readonly startedAt: number;
}

export interface DefineResult {
  /** false: the stored manifest is equal, or is that of an app process that started later. */
  readonly changed: boolean;
  readonly warnings: readonly string[];
  /** Keys of the flags whose declaration is new or has changed. */
  readonly flags: readonly string[];
}

interface Stored {
  readonly id: number;
  readonly manifest: Manifest | null;
  readonly definition: StoredDefinition | null;
  readonly startedAt: number | null;
  readonly same: boolean | null;
}

/** Locks the environment's row, as the definition may not exist yet; with no key update, so that inserts of events don't wait. */
const current = statement(
  'definitions.current',
  `
  select e.id, d.manifest, d.definition, d.started_at as "startedAt", d.manifest = $2::jsonb as same
  from environments e left join definitions d on d.env = e.id where e.name = $1 for no key update of e`,
);
const insert = statement(
  'definitions.insert',
  `
  insert into definitions (env, manifest, definition, started_at, updated_at) values ($1, $2::jsonb, $3::jsonb, $4, $5)
  on conflict (env) do update set manifest = excluded.manifest, definition = excluded.definition,
    started_at = excluded.started_at, updated_at = excluded.updated_at`,
);
const touch = statement(
  'definitions.touch',
  'update definitions set started_at = greatest(started_at, $2) where env = $1',
);

const countManifestParts = ({ resources, inboxes, views, actions, pages, flags }: Manifest): object =>
  Object.fromEntries(
    Object.entries({ resources, inboxes, views, actions, pages, flags }).map(([kind, list]) => [
      kind,
      list?.length ?? 0,
    ]),
  );

/** Returns the problems that the schema of the manifest can't express. */
const contentProblems = async (read: ParsedManifest): Promise<FaultDetail[]> => [
  ...crossReferenceProblems(read),
  ...(await readSchemaProblems(read.manifest)),
];

/** Stores a manifest. Throws `invalid` with every problem in `details`, `not_found` for an unknown environment. */
export const defineEnvironment = async (
  tx: Tx,
  admin: Administrator,
  { environment, manifest, startedAt }: ManifestDeclaration,
): Promise<DefineResult> => {
  const problem = jsonProblem(manifest);
  if (problem !== null) throw invalidFault([problem]);
  const read = parseManifestParts(manifest);
  if (read.problems.length > 0)
    throw invalidFault([...read.problems, ...(await contentProblems(read))].slice(0, problemsMax));
  const parsed = read.manifest;
  const text = JSON.stringify(parsed);
  const stored = await queryRow<Stored>(tx, current, [environment, text]);
  if (stored === undefined) throw fault('not_found', `There is no environment ${JSON.stringify(environment)}.`);
  if (stored.same === true) {
    await executeStatement(tx, touch, [stored.id, startedAt]);
    return { changed: false, warnings: [], flags: [] };
  }
  const wrong = await contentProblems(read);
  if (wrong.length > 0) throw invalidFault(wrong.slice(0, problemsMax));
  if (stored.startedAt !== null && stored.startedAt > startedAt) {
    return {
      changed: false,
      warnings: ['An app that was started later has declared otherwise; its declaration holds.'],
      flags: [],
    };
  }
  const known = stored.definition ?? { inboxes: [] };
  const merged = mergeDefinition(known, parsed);
  const before = compileDefinition(stored.manifest ?? emptyManifest, known);
  const after = compileDefinition(parsed, merged);
  const changed = await stateKindProblems(tx, stored.id, before, after);
  if (changed.length > 0) throw invalidFault(changed);
  await executeStatement(tx, insert, [stored.id, text, JSON.stringify(merged), startedAt, admin.at]);
  await recordAdminChange(tx, admin, {
    verb: 'environment.define',
    target: { type: 'environment', id: environment },
    environments: [environment],
    before: stored.manifest === null ? null : countManifestParts(stored.manifest),
    after: countManifestParts(parsed),
  });
  return { changed: true, warnings: definitionWarnings(before, after), flags: changedFlagKeys(before, after) };
};
