/**
 * Takes over what an environment's app declares: checked, joined with what was declared before, audited. Called when an
 * app registers, by the admin command and by the demo's loader.
 */
import { fault, type Detail } from '../../catalogue/errors.ts';
import { jsonProblem } from '../../platform/core/guard.ts';
import { invalidDetails } from '../../platform/core/validate.ts';
import type { Tx } from '../../platform/db/knex.ts';
import { row, run, statement } from '../../platform/db/sql.ts';
import { settle, type Administrator } from '../administer.ts';
import { flagsDeclared, kindProblems, warningsOf } from './changes.ts';
import { emptyManifest, mergeDefinition, openDefinition, type StoredDefinition } from '../../environments/definition.ts';
import { type Manifest } from '../../environments/manifest.ts';
import { readManifest, type ReadManifest } from '../../environments/readManifest.ts';
import { crossProblems, problemsMax } from '../../environments/manifestProblems.ts';
import { schemaProblemsInTurn } from '../../environments/schemas.ts';

export interface Declared {
  /** The environment's name. */
  readonly environment: string;
  /** As it came: nothing of it is trusted. */
  readonly manifest: unknown;
  /** When the app that declares it was started: of several versions the latest started one holds. */
  readonly startedAt: number;
}

export interface Defined {
  /** false: it was so already, or an app that was started later has declared otherwise. */
  readonly changed: boolean;
  readonly warnings: readonly string[];
  /** Keys of the flags that it declares otherwise than before. */
  readonly flags: readonly string[];
}

interface Stored {
  readonly id: number;
  readonly manifest: Manifest | null;
  readonly definition: StoredDefinition | null;
  readonly startedAt: number | null;
  readonly same: boolean | null;
}

/** The environment's row is locked, as there may be no definition yet that could be; key-less, so that events go on. */
const current = statement('definitions.current', `
  select e.id, d.manifest, d.definition, d.started_at as "startedAt", d.manifest = $2::jsonb as same
  from environments e left join definitions d on d.env = e.id where e.name = $1 for no key update of e`);
const insert = statement('definitions.insert', `
  insert into definitions (env, manifest, definition, started_at, updated_at) values ($1, $2::jsonb, $3::jsonb, $4, $5)
  on conflict (env) do update set manifest = excluded.manifest, definition = excluded.definition,
    started_at = excluded.started_at, updated_at = excluded.updated_at`);
const touch = statement('definitions.touch', 'update definitions set started_at = greatest(started_at, $2) where env = $1');

const counted = ({ resources, inboxes, views, actions, pages, flags }: Manifest): object =>
  Object.fromEntries(Object.entries({ resources, inboxes, views, actions, pages, flags }).map(([kind, list]) => [kind, list?.length ?? 0]));

/** What its form doesn't say. */
const furtherProblems = async (read: ReadManifest): Promise<Detail[]> => [...crossProblems(read), ...(await schemaProblemsInTurn(read.manifest))];

/** `400 invalid` with every problem of the manifest in `details`; `404` for an unknown environment. */
export const defineEnvironment = async (tx: Tx, admin: Administrator, { environment, manifest, startedAt }: Declared): Promise<Defined> => {
  const problem = jsonProblem(manifest);
  if (problem !== null) throw invalidDetails([problem]);
  const read = readManifest(manifest);
  if (read.problems.length > 0) throw invalidDetails([...read.problems, ...(await furtherProblems(read))].slice(0, problemsMax));
  const parsed = read.manifest;
  const text = JSON.stringify(parsed);
  const stored = await row<Stored>(tx, current, [environment, text]);
  if (stored === undefined) throw fault('not_found', `There is no environment ${JSON.stringify(environment)}.`);
  if (stored.same === true) {
    await run(tx, touch, [stored.id, startedAt]);
    return { changed: false, warnings: [], flags: [] };
  }
  const wrong = await furtherProblems(read);
  if (wrong.length > 0) throw invalidDetails(wrong.slice(0, problemsMax));
  if (stored.startedAt !== null && stored.startedAt > startedAt) {
    return { changed: false, warnings: ['An app that was started later has declared otherwise; its declaration holds.'], flags: [] };
  }
  const known = stored.definition ?? { inboxes: [] };
  const merged = mergeDefinition(known, parsed);
  const before = openDefinition(stored.manifest ?? emptyManifest, known);
  const after = openDefinition(parsed, merged);
  const changed = await kindProblems(tx, stored.id, before, after);
  if (changed.length > 0) throw invalidDetails(changed);
  await run(tx, insert, [stored.id, text, JSON.stringify(merged), startedAt, admin.at]);
  await settle(tx, admin, {
    verb: 'environment.define',
    target: { type: 'environment', id: environment },
    environments: [environment],
    before: stored.manifest === null ? null : counted(stored.manifest),
    after: counted(parsed),
  });
  return { changed: true, warnings: warningsOf(before, after), flags: flagsDeclared(before, after) };
};
