/** A whole service for one test file: API and workers in this process, own database, own Redis prefix. */
import { randomBytes, scryptSync } from 'node:crypto';
import pg from 'pg';
import { startServer, type RunningServer } from '../../api/server.ts';
import { newToken, tokenHash, type PrincipalKind } from '../../shared/accounts/access/tokens.ts';
import { mergeDefinition } from '../../shared/app/manifest/definition.ts';
import { parseManifest } from '../../shared/app/manifest/readManifest.ts';
import { closeDeps, openDeps, type Deps } from '../../shared/deps.ts';
import { readConfig, type Config } from '../../shared/platform/config/config.ts';
import { newId } from '../../shared/platform/ids.ts';
import { newSealKey } from '../../shared/platform/listing/seal.ts';
import { titleKey } from '../../shared/records/terms.ts';
import { createWorkerProcess } from '../../workers/workerProcess.ts';
import { connectApp, type AppOptions, type FakeApp } from './app.ts';
import { newTestClock, type TestClock } from './clock.ts';
import { newDatabase, redisUrl, type TestDatabase } from './database.ts';
import { clientOf, type Client } from './http.ts';
import { testManifest } from './manifest.ts';
import { until } from './until.ts';

export interface AgentOptions {
  readonly mode?: 'normal' | 'readonly' | 'supervised';
  readonly environments?: readonly string[];
  readonly expiresAt?: number;
  readonly name?: string;
}

export interface PersonOptions {
  readonly email?: string;
  /** What they sign in with; absent: they can't. */
  readonly password?: string;
  /** Whether the session is one of a fresh sign-in. */
  readonly fresh?: boolean;
  readonly environments?: readonly string[];
}

type Grants = readonly { readonly on: string; readonly can: readonly string[] }[];

export interface World {
  readonly config: Config;
  /** Of API and workers. */
  readonly clock: TestClock;
  /** Of the first API. */
  readonly deps: Deps;
  readonly base: string;
  readonly port: number;
  /** SQL as the owner, for arranging and for looking where no endpoint looks. */
  sql<R extends object = Record<string, unknown>>(text: string, values?: unknown[]): Promise<R[]>;
  environment(name: string, manifest?: unknown): Promise<void>;
  role(name: string, grants: Grants): Promise<string>;
  /** An agent of a role by name. */
  agent(role: string, options?: AgentOptions): Promise<Client>;
  /** A person who is signed in. */
  person(role: string, name?: string, options?: PersonOptions): Promise<Client>;
  appKey(environment?: string): Promise<Client>;
  /** The customer's app of `demo`, connected with a key of its own and the world's manifest; closed with the world. */
  app(handlers?: AppOptions['handlers'], options?: AppOptions): Promise<FakeApp>;
  /** A client with a well-formed token that nobody has. */
  nobody(): Client;
  /** The same credential, calling another environment. */
  elsewhere(client: Client, environment: string): Client;
  /** Ends every token of a principal, at once and everywhere. */
  revoke(client: Client): Promise<void>;
  /** Stored records, as a load writes them: in their order at once, and found by their words once a sweep has indexed them. */
  records(
    resource: string,
    records: readonly { readonly id: string; readonly title: string; readonly fields?: object }[],
    environment?: string,
  ): Promise<void>;
  /** A further API process' worth of server on the same database. */
  api(): Promise<{ base(environment?: string): string; server: RunningServer }>;
  /** Resolves when everything that was accepted has been done and emitted. */
  settled(): Promise<void>;
  /** Resolves when the bytes that were written are added up. */
  counted(): Promise<void>;
  /** Resolves when every text that was accepted is found. */
  indexed(): Promise<void>;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly workers?: boolean;
  /** false: no API here, as the test starts processes of its own. */
  readonly server?: boolean;
  readonly manifest?: unknown;
  /** A migrated one that is empty; absent: one of the servers of all tests. */
  readonly database?: TestDatabase;
  /** Returns the address that API and workers use for that of the database, such as one of a connection pool. */
  readonly through?: (databaseUrl: string) => string;
}

/** Returns a stored hash of the product's form that takes a millisecond to verify instead of 300. */
const hashQuickly = (password: string): string => {
  const [N, r, p, salt] = [1024, 1, 1, randomBytes(16)] as const;
  const hash = scryptSync(password, salt, 32, { N, r, p });
  return `scrypt$${String(N)}$${String(r)}$${String(p)}$${salt.toString('base64')}$${hash.toString('base64')}`;
};

export const newWorld = async ({
  env = {},
  workers = true,
  server = true,
  manifest = testManifest,
  through = (databaseUrl) => databaseUrl,
  database: given,
}: WorldOptions = {}): Promise<World> => {
  const database = given ?? (await newDatabase());
  const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 });
  // The pool has ended before its connections have; the drop of the database terminates what is left of them.
  owner.on('error', () => undefined);
  const config = readConfig({
    DATABASE_URL: through(database.url),
    MIGRATE_DATABASE_URL: database.ownerUrl,
    REDIS_URL: redisUrl(),
    REDIS_PREFIX: `test-${randomBytes(6).toString('hex')}`,
    PORT: '0',
    // The tests' own connections stay open and would be waited for.
    DRAIN_MS: '400',
    RATE_LIMIT: '1000000',
    RATE_BURST: '1000000',
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'error',
    ...env,
  });
  const sql = async <R extends object>(text: string, values: unknown[] = []): Promise<R[]> =>
    (await owner.query(text, values)).rows as R[];
  const servers: RunningServer[] = [];
  const apps: FakeApp[] = [];
  const clock = newTestClock();
  const deps = await openDeps(config, 'api', clock);
  const refresh = async (): Promise<void> => {
    await sql('update revisions set n = n + 1');
    await deps.directory.refresh();
  };

  const environment = async (name: string, declared: unknown = manifest): Promise<void> => {
    const parsed = parseManifest(declared);
    const [row] = await sql<{ id: number }>(
      'insert into environments (name, seal_key, created_at) values ($1, $2, $3) returning id',
      [name, newSealKey(), Date.now()],
    );
    await sql(
      `insert into definitions (env, manifest, definition, manifest_in_order, definition_in_order, started_at, updated_at)
      values ($1, $2::text::jsonb, $3::text::jsonb, $2::text::json, $3::text::json, $4, $4)`,
      [row?.id, JSON.stringify(parsed), JSON.stringify(mergeDefinition({ inboxes: [] }, parsed)), Date.now()],
    );
    await refresh();
  };
  await environment('demo');
  const first = server ? await startServer(deps) : { port: 0, stop: () => closeDeps(deps) };
  servers.push(first);
  const workerDeps = workers ? await openDeps(config, 'workers', clock) : null;
  const crew = workerDeps === null ? null : createWorkerProcess(workerDeps);
  await crew?.start();
  const baseOf = (port: number, name = 'demo'): string => `http://127.0.0.1:${String(port)}/api/env/${name}`;

  const role = async (name: string, grants: Grants): Promise<string> => {
    const id = newId('rol');
    await sql('insert into roles (id, name, grants, created_at, updated_at) values ($1, $2, $3, 0, 0)', [
      id,
      name,
      JSON.stringify(grants),
    ]);
    await refresh();
    return id;
  };
  const roleId = async (name: string): Promise<string> => {
    const [found] = await sql<{ id: string }>('select id from roles where name = $1', [name]);
    if (found === undefined) throw new Error(`There is no role ${name}.`);
    return found.id;
  };
  const credential = async (kind: PrincipalKind, principal: string, expiresAt: number | null): Promise<string> => {
    const token = newToken(kind);
    await sql('insert into tokens (hash, kind, principal, expires_at, created_at) values ($1, $2, $3, $4, 0)', [
      tokenHash(token),
      kind,
      principal,
      expiresAt,
    ]);
    return token;
  };

  const appKey: World['appKey'] = async (name = 'demo') => {
    const id = newId('key');
    await sql(
      'insert into app_keys (id, env, name, created_at) select $1, id, $2, 0 from environments where name = $3',
      [id, 'app', name],
    );
    return clientOf(baseOf(first.port, name), await credential('app', id, null), id);
  };

  return {
    config,
    clock,
    deps,
    base: baseOf(first.port),
    port: first.port,
    sql,
    environment,
    role,
    agent: async (
      roleName,
      { mode = 'normal', environments = ['demo'], expiresAt, name = `${roleName} agent` } = {},
    ) => {
      const id = newId('agt');
      await sql(
        'insert into agents (id, name, role, mode, environments, expires_at, created_at) values ($1, $2, $3, $4, $5, $6, 0)',
        [id, name, await roleId(roleName), mode, environments, expiresAt ?? null],
      );
      return clientOf(baseOf(first.port), await credential('agent', id, null), id);
    },
    person: async (roleName, name = 'Ana Lind', { email, password, fresh = false, environments = ['*'] } = {}) => {
      const id = newId('per');
      const hash = password === undefined ? null : hashQuickly(password);
      await sql(
        'insert into people (id, email, name, role, environments, password_hash, created_at) values ($1, $2, $3, $4, $5, $6, 0)',
        [id, email ?? `${id}@example.com`, name, await roleId(roleName), environments, hash],
      );
      await refresh();
      const token = await credential('person', id, Date.now() + 3_600_000);
      if (fresh) await sql('update tokens set fresh_until = $2 where principal = $1', [id, Date.now() + 900_000]);
      return clientOf(baseOf(first.port), token, id);
    },
    appKey,
    app: async (handlers = {}, options = {}) => {
      const app = await connectApp(await appKey(), { manifest, handlers, ...options });
      apps.push(app);
      return app;
    },
    nobody: () => clientOf(baseOf(first.port), newToken('agent'), 'nobody'),
    elsewhere: (client, name) => clientOf(baseOf(first.port, name), client.token, client.id),
    revoke: async (client) => {
      await sql('delete from tokens where principal = $1', [client.id]);
      await refresh();
    },
    records: async (resource, records, name = 'demo') => {
      for (const { id, title, fields = {} } of records) {
        await sql(
          `insert into records (env, resource, id, title, title_key, fields, updated_at) select id, $1, $2, $3, $4, $5, $6 from environments where name = $7`,
          [resource, id, title, titleKey(title), fields, Date.now(), name],
        );
      }
    },
    api: async () => {
      const further = await startServer(await openDeps(config, 'api', clock));
      servers.push(further);
      return { server: further, base: (name) => baseOf(further.port, name) };
    },
    settled: async () => {
      await until(
        'everything is done and told',
        async () => {
          const [left] = await sql<{
            n: number;
          }>(`select (select count(*) from outbox)::int + (select count(*) from staged_jobs where due_at is not null)::int
          + (select count(*) from bulks where finished_at is null and status <> 'pending')::int as n`);
          return left?.n === 0;
        },
        30_000,
      );
    },
    counted: async () => {
      await deps.meter.flush();
      await workerDeps?.meter.flush();
    },
    indexed: async () => {
      const [newest] = await sql<{ id: string }>('select coalesce(max(id), 0) as id from events');
      await until('every text is found', async () => {
        const [done] = await sql<{ is: boolean }>('select event >= $1 as is from item_words_progress', [newest?.id]);
        return done?.is === true;
      });
    },
    close: async () => {
      await Promise.all(apps.map((app) => app.close()));
      const stopWorkers = async (): Promise<void> => {
        await crew?.stop();
        if (workerDeps !== null) await closeDeps(workerDeps);
      };
      await Promise.all([stopWorkers(), ...servers.map((running) => running.stop())]);
      await owner.end();
      await database.drop();
    },
  };
};
