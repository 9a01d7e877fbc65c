/** Reads flags: one, a page, all for the app, and the history of one. Used by the endpoints and the app link. */
import type { Caller } from '../access/principal.ts';
import { replacedRamp } from '../approvals/replacedRamp.ts';
import type { Environment } from '../environments/definition.ts';
import type { ManifestFlag } from '../environments/manifest.ts';
import { rowId } from '../platform/core/ids.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRows, statement } from '../platform/db/sql.ts';
import { cutPage } from '../platform/listing/page.ts';
import { requireVisibleFlag } from './changeFlag.ts';
import type { FlagDeps } from './deps.ts';
import { flagView, readFlagRow, readFlagRows, redactFlag, resolveFlag, type FlagView } from './model.ts';

type Reading = Pick<FlagDeps, 'db' | 'clock'>;

export const readFlag = async ({ db, clock }: Reading, caller: Caller, key: string): Promise<FlagView> => {
  const declared = requireVisibleFlag(caller, key);
  return redactFlag(
    flagView(resolveFlag(declared, await readFlagRow(db, caller.env.id, key)), clock.now()),
    caller.principal.access,
  );
};

const byKey = (a: ManifestFlag, b: ManifestFlag): number => (a.key < b.key ? -1 : 1);

const readViews = async (
  { db, clock }: Reading,
  env: Environment,
  declared: readonly ManifestFlag[],
): Promise<FlagView[]> => {
  const stored = new Map(
    (
      await readFlagRows(
        db,
        env.id,
        declared.map(({ key }) => key),
      )
    ).map((row) => [row.key, row]),
  );
  return declared.map((flag) => flagView(resolveFlag(flag, stored.get(flag.key)), clock.now()));
};

/** Returns a page of the flags that the role sees, by key, after `after`. */
export const listFlags = async (
  deps: Reading,
  { env, principal }: Caller,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<{ flags: FlagView[]; next: string | null }> => {
  const seen = [...env.definition.flags.values()]
    .filter(({ key }) => principal.access.sees('flag', key) && (after === null || key > after))
    .sort(byKey);
  const { page, last } = cutPage(seen, limit);
  const flags = (await readViews(deps, env, page)).map((flag) => redactFlag(flag, principal.access));
  return { flags, next: last?.key ?? null };
};

/** Flags that one statement reads for an app. */
const appPage = 100;
/** Bytes of flags in one answer to an app: well below a frame of the app link, which a single flag always fits into. */
const appBytes = 2 * 1024 * 1024;

/** Returns the flags of an environment after `after`, as the app evaluates them; `cursor`: the last key when more follow. */
export const readFlagsForApp = async (
  deps: Reading,
  env: Environment,
  after: string | null,
): Promise<{ flags: FlagView[]; cursor: string | null }> => {
  const declared = [...env.definition.flags.values()].filter(({ key }) => after === null || key > after).sort(byKey);
  const flags: FlagView[] = [];
  let bytes = 0;
  for (let at = 0; at < declared.length; at += appPage) {
    for (const flag of await readViews(deps, env, declared.slice(at, at + appPage))) {
      bytes += Buffer.byteLength(JSON.stringify(flag));
      if (bytes > appBytes && flags.length > 0) return { flags, cursor: flags.at(-1)?.flag ?? null };
      flags.push(flag);
    }
  }
  return { flags, cursor: null };
};

interface HistoryRow {
  readonly id: number;
  readonly at: number;
  readonly actor_type: string;
  readonly actor: string | null;
  readonly actor_name: string;
  readonly data: { readonly type: string; readonly approvedBy?: object | null; readonly reason?: string | null };
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}

const flagHistorySql = statement(
  'flags.history',
  `
  select id, at, actor_type, actor, actor_name, data, before, after from events
  where env = $1 and target = $2 and verb is not null and target_type = 'flag' and outcome = 'ok' and id < $3
  order by id desc limit $4`,
);

/** Returns a page of the history of a flag, newest first: entries older than `before`. */
export const readFlagHistory = async (
  db: Db,
  { env, principal: { access } }: Caller,
  key: string,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<{ entries: object[]; next: number | null }> => {
  const found = await queryRows<HistoryRow>(db, flagHistorySql, [
    env.id,
    key,
    before ?? Number.MAX_SAFE_INTEGER,
    limit + 1,
  ]);
  const { page, last } = cutPage(found, limit);
  const resource = env.definition.flags.get(key)?.resource;
  return {
    entries: page.map(
      ({
        id,
        at,
        actor_type: type,
        actor,
        actor_name: name,
        data,
        before: was,
        after: { approvedBy: _, reason: __, ...is },
      }) => ({
        id: rowId('aud', at, id),
        at,
        by: { type, id: actor, name },
        type: data.type,
        replaced: data.type === 'change' ? replacedRamp(redactFlag(was, access, resource), is) : null,
        before: redactFlag(was, access, resource),
        after: redactFlag(is, access, resource),
        approvedBy: data.approvedBy ?? null,
        // The reason of a guard names its inbox.
        reason:
          data.type === 'change' || redactFlag({ ramp: was['ramp'] }, access).ramp === was['ramp']
            ? (data.reason ?? null)
            : null,
      }),
    ),
    next: last?.id ?? null,
  };
};
