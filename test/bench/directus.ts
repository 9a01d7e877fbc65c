/** Directus, a peer: its own server over a copy of the items in a schema of its own, with an index for the order that is asked for. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../shared/tools/services/ports.mjs';
import type { Bench } from './bench.ts';
import { nodeOf, plainEnv, startPeerServer } from './peerServer.ts';

export interface Directus {
  readonly port: number;
  readonly token: string;
  /** Returns the path of a page of 50 items of the inboxes, newest activity first; `before`: epoch milliseconds. */
  page(inboxes: readonly string[], before?: string): string;
  stop(): Promise<void>;
}

const schema = 'directus';
const token = 'bench-directus-token';

const copyItems = `
  create table ${schema}.items as select id, inbox, title, state, record_resource, record_id, record_title, tags, assignee, occurrences, users,
    first_seen, last_seen, due_at, fields, snoozed_until, triaged, created_at, updated_at, version from public.items;
  alter table ${schema}.items add primary key (id);
  create index on ${schema}.items (inbox, last_seen desc, id desc);
  create index on ${schema}.items (last_seen desc, id desc);
  analyze ${schema}.items`;

const pagePath: Directus['page'] = (inboxes, before) => {
  const filter = { inbox: { _in: inboxes }, ...(before === undefined ? {} : { last_seen: { _lte: before } }) };
  return `/items/items?limit=50&sort=-last_seen,-id&filter=${encodeURIComponent(JSON.stringify(filter))}`;
};

/** Starts Directus with `poolSize` connections. Returns null where its packages can't be installed. */
export const startDirectus = async (bench: Bench, poolSize: number): Promise<Directus | null> => {
  const folder = await bench.peer('directus');
  if (folder === null) return null;
  const { sql, ownerUrl } = bench.database;
  const port = await freePort();
  const cli = join(folder, 'node_modules/directus/cli.js');
  // It takes every variable that begins with REDIS or DB for its own.
  const env = {
    ...plainEnv,
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: ownerUrl,
    DB_SEARCH_PATH: schema,
    DB_POOL__MAX: String(poolSize),
    SECRET: 'bench-'.repeat(8),
    ADMIN_EMAIL: 'bench@example.com',
    ADMIN_PASSWORD: 'bench-directus',
    ADMIN_TOKEN: token,
    TELEMETRY: 'false',
    SERVE_APP: 'false',
    LOG_LEVEL: 'error',
    HOST: '127.0.0.1',
    PORT: String(port),
  };
  await sql(`drop schema if exists ${schema} cascade`);
  await sql(`create schema ${schema}`);
  await promisify(execFile)(nodeOf(folder), [cli, 'bootstrap'], { cwd: folder, env });
  await sql(copyItems);
  const base = `http://127.0.0.1:${String(port)}`;
  const kill = await startPeerServer({
    name: 'Directus',
    folder,
    args: [cli, 'start'],
    env,
    health: `${base}/server/ping`,
  });
  // From now on it knows the table.
  const known = await fetch(`${base}/collections/items`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"meta":{"hidden":false}}',
  });
  if (!known.ok) throw new Error(`Directus does not take the table: ${await known.text()}`);
  return {
    port,
    token,
    page: pagePath,
    stop: async () => {
      await kill();
      await sql(`drop schema ${schema} cascade`);
    },
  };
};
