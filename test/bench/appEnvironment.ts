/** The environment in which the suites of actions measure, with an agent and the key of programs/customerApp.ts. */
import { newToken, tokenHash } from '../../shared/accounts/access/tokens.ts';
import { newId } from '../../shared/platform/ids.ts';
import { newSealKey } from '../../shared/platform/listing/seal.ts';
import type { Bench } from './bench.ts';

export const appEnvironment = 'actions';

/** Makes an environment of its own, whose app declares nothing but actions. */
export const prepareApp = async ({
  database: { sql, token },
}: Bench): Promise<{ readonly key: string; readonly agent: { token: string; id: string } }> => {
  await sql('insert into environments (name, seal_key, created_at) values ($1, $2, 0) on conflict do nothing', [
    appEnvironment,
    newSealKey(),
  ]);
  await sql('insert into streams (env) select id from environments where name = $1 on conflict do nothing', [
    appEnvironment,
  ]);
  const [id, key] = [newId('key'), newToken('app')];
  await sql(
    `insert into app_keys (id, env, name, created_at) select $1, id, 'bench', 0 from environments where name = $2`,
    [id, appEnvironment],
  );
  await sql(`insert into tokens (hash, kind, principal, created_at) values ($1, 'app', $2, 0)`, [tokenHash(key), id]);
  return { key, agent: await token('admin') };
};
