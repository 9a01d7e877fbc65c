/** Compares a manifest with what an environment has, and changes nothing. For the dry run of a registration. */
import { isDeepStrictEqual } from 'node:util';
import { declaredStates } from '../../../app/manifest/definition.ts';
import type { Manifest } from '../../../app/manifest/manifest.ts';
import type { Db } from '../../../platform/db/knex.ts';
import { isObject } from '../../../platform/json/jsonLimits.ts';
import type { Administrator } from '../adminChange.ts';
import { defineEnvironment, type DefineResult } from './defineEnvironment.ts';

/** What a manifest changes, each by its kind and name, such as `action refund`. */
interface DefinitionChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  /** Of a state its inbox, with the state after it: `inbox support: state asked`. */
  readonly retired: readonly string[];
  /** With the member after the name: `action refund: danger`. */
  readonly loosened: readonly string[];
  /** With the place after the name: `action refund: input.ticket`. */
  readonly breaking: readonly string[];
}

const kinds = {
  resources: 'resource',
  inboxes: 'inbox',
  views: 'view',
  actions: 'action',
  pages: 'page',
  flags: 'flag',
} as const satisfies Readonly<Record<keyof Manifest, string>>;

/** Returns the declarations of a manifest by kind and name. The manifest is valid. */
const declarations = (manifest: Manifest): ReadonlyMap<string, unknown> =>
  new Map(
    Object.entries(kinds).flatMap(([list, kind]): [string, unknown][] => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of `kinds` are those of manifests
      const declared: readonly unknown[] = manifest[list as keyof Manifest] ?? [];
      return declared.filter(isObject).map((one) => [`${kind} ${String(one['name'] ?? one['key'])}`, one]);
    }),
  );

/** Returns the states that `after` leaves out of the inboxes that both manifests have. */
const retiredStates = (before: Manifest, after: Manifest): string[] => {
  const inboxes = new Map((after.inboxes ?? []).map((inbox) => [inbox.name, inbox]));
  return (before.inboxes ?? []).flatMap((former) => {
    const inbox = inboxes.get(former.name);
    if (inbox === undefined) return [];
    const names = new Set(declaredStates(inbox).map(({ name }) => name));
    return declaredStates(former)
      .filter(({ name }) => !names.has(name))
      .map(({ name }) => `inbox ${former.name}: state ${name}`);
  });
};

/** Carries the result out of a transaction, which ends without effect by being thrown in it. */
class Compared extends Error {
  readonly result: DefineResult;

  constructor(result: DefineResult) {
    super('compared');
    this.result = result;
  }
}

/** Defines the environment in a transaction that is rolled back. Throws what `defineEnvironment` throws. */
const tryDefinition = async (
  db: Db,
  admin: Administrator,
  declared: { readonly environment: string; readonly manifest: unknown; readonly signal?: AbortSignal },
): Promise<DefineResult> => {
  try {
    return await db.transaction(async (tx): Promise<never> => {
      throw new Compared(await defineEnvironment(tx, admin, { ...declared, startedAt: admin.at }));
    });
  } catch (error) {
    if (error instanceof Compared) return error.result;
    throw error;
  }
};

/** Returns what registering a manifest would warn of and change, given what is declared now. Throws `invalid` with every problem. */
export const compareDefinition = async (
  db: Db,
  admin: Administrator,
  declared: { readonly environment: string; readonly manifest: unknown; readonly signal?: AbortSignal },
  current: Manifest,
): Promise<{ readonly warnings: readonly string[]; readonly changes: DefinitionChanges }> => {
  const { warnings, loosened, breaking } = await tryDefinition(db, admin, declared);
  const before = declarations(current);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `defineEnvironment` has found no problem
  const manifest = declared.manifest as Manifest;
  const after = declarations(manifest);
  const names = [...after.keys()];
  return {
    warnings,
    changes: {
      added: names.filter((name) => !before.has(name)),
      changed: names.filter((name) => before.has(name) && !isDeepStrictEqual(before.get(name), after.get(name))),
      retired: [...[...before.keys()].filter((name) => !after.has(name)), ...retiredStates(current, manifest)],
      loosened,
      breaking,
    },
  };
};
