/** A small world for tests of the live stream: a database of its own, a publisher that stands in for the workers', API processes and subscribers. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import knex, { type Knex } from 'knex';
import { createRateLimiter } from '../../api/http/rateLimiter.ts';
import type { LiveTimes } from '../../api/live/context.ts';
import { createLive, type Live } from '../../api/live/index.ts';
import { newToken, tokenHash } from '../../shared/accounts/access/tokens.ts';
import type { Grant } from '../../shared/catalogue/permissions.ts';
import { closeDeps, openDeps, type Deps } from '../../shared/deps.ts';
import { readConfig } from '../../shared/platform/config/config.ts';
import { newId } from '../../shared/platform/ids.ts';
import { newSealKey } from '../../shared/platform/listing/seal.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import { newDatabase, redisUrl, type TestDatabase } from '../support/database.ts';
import { Gate } from '../support/gate.ts';
import { Subscriber } from './subscriber.ts';

export { until } from '../support/until.ts';
export * from './parts.ts';
export { refusal, type Message, type Subscriber } from './subscriber.ts';

export interface Api {
  readonly deps: Deps;
  readonly live: Live;
  readonly server: Server;
  readonly url: string;
  stop(): Promise<void>;
}

export interface SubscribeOptions {
  readonly token?: string;
  readonly env?: string;
  readonly query?: string;
  readonly headers?: Record<string, string>;
  readonly protocols?: string[];
}

type Counted = Record<string, Record<string, number>>;

interface PublishOptions {
  readonly env?: number;
  readonly counts?: Counted;
  readonly hint?: boolean;
  readonly before?: (tx: Knex.Transaction) => Promise<unknown>;
}

export class LiveWorld {
  readonly db: Knex;
  readonly redisGate = new Gate(new URL(redisUrl()));
  readonly databaseGate: Gate;
  readonly #database: TestDatabase;
  readonly #prefix = `live-${randomBytes(6).toString('hex')}`;
  readonly #apis: Api[] = [];
  readonly #subscribers: Subscriber[] = [];
  #redisUrl = '';
  #databaseUrl = '';
  publisher: Deps | null = null;

  constructor(database: TestDatabase) {
    this.#database = database;
    this.db = knex({ client: 'pg', connection: database.ownerUrl, pool: { min: 0, max: 4 } });
    this.databaseGate = new Gate(new URL(database.url));
  }

  async open(): Promise<void> {
    this.#redisUrl = await this.redisGate.listen();
    this.#databaseUrl = await this.databaseGate.listen();
    await this.environment('production');
    this.publisher = await this.#deps(redisUrl());
  }

  async environment(name: string): Promise<number> {
    const inboxes = ['support', 'billing', 'secret'].map((inbox) => ({
      declared: { name: inbox },
      retired: false,
      retiredStates: [],
    }));
    const [row] = (await this.db('environments')
      .insert({ name, seal_key: newSealKey(), created_at: 1 })
      .returning('id')) as { id: number }[];
    const env = row?.id ?? 0;
    await this.db('streams').insert({ env });
    await this.db('definitions').insert({ env, manifest: '{}', definition: { inboxes }, started_at: 1, updated_at: 1 });
    await this.changed();
    await this.known();
    return env;
  }

  async role(name: string, grants: readonly Grant[]): Promise<void> {
    const row = { id: `rol_${name}`, name, grants: JSON.stringify(grants), created_at: 1, updated_at: 1 };
    await this.db('roles').insert(row).onConflict('name').merge(['grants']);
    await this.changed();
  }

  async agent(
    role: string,
    { environments = ['production'], expiresAt = null }: { environments?: string[]; expiresAt?: number | null } = {},
  ): Promise<{ token: string; id: string }> {
    const id = newId('agt');
    const token = newToken('agent');
    const found = (await this.db('roles').where({ name: role }).first('id')) as { id: string };
    await this.db('agents').insert({
      id,
      name: `a ${role}`,
      role: found.id,
      mode: 'normal',
      environments,
      created_at: 1,
      expires_at: expiresAt,
    });
    await this.db('tokens').insert({ hash: tokenHash(token), kind: 'agent', principal: id, created_at: 1 });
    await this.changed();
    await this.known();
    return { token, id };
  }

  /** Signals the processes that the directory has changed, as every change of it does. */
  async changed(): Promise<void> {
    await this.db('revisions').increment('n', 1);
    this.publisher?.bus.publish(channels.revision, '');
  }

  /** Every process has loaded what was changed so far. */
  async known(): Promise<void> {
    await Promise.all(this.#apis.map(({ deps }) => deps.directory.refresh()));
  }

  async #deps(redisUrl: string): Promise<Deps> {
    const config = readConfig({
      DATABASE_URL: this.#databaseUrl,
      REDIS_URL: redisUrl,
      REDIS_PREFIX: this.#prefix,
      LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'error',
      LIVE_PER_TOKEN: '20',
      RATE_LIMIT: '1000000',
      RATE_BURST: '1000000',
    });
    return openDeps(config, 'test');
  }

  /** Another API process, as far as the live stream goes. */
  async api(times: Partial<LiveTimes> = {}): Promise<Api> {
    const deps = await this.#deps(this.#redisUrl);
    const rate = createRateLimiter(deps);
    const live = createLive(deps, rate, times);
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => response.end(`plain ${String(request.method)} ${body}`));
    });
    live.attach(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    let stopped: Promise<void> | null = null;
    const stop = async (): Promise<void> => {
      await live.stop();
      rate.close();
      server.closeAllConnections();
      server.close();
      await closeDeps(deps);
    };
    const close = (): Promise<void> => {
      this.#apis.splice(this.#apis.indexOf(api), 1);
      return (stopped ??= stop());
    };
    const api = { deps, live, server, url, stop: close };
    this.#apis.push(api);
    return api;
  }

  /**
   * Writes rows and publishes them, as the publisher of the workers does. `hint: false`: as if Redis had lost it; `before`: what is
   * seen with them or not at all.
   */
  async publish(
    rows: readonly (readonly object[])[],
    { env = 1, counts = {}, hint = true, before }: PublishOptions = {},
  ): Promise<number> {
    const at = Date.now();
    const { first, epoch } = await this.db.transaction(async (tx) => {
      await before?.(tx);
      const [head] = (await tx('streams').where({ env }).increment('position', rows.length).returning('position')) as {
        position: number;
      }[];
      const position = Number(head?.position ?? 0) - rows.length + 1;
      const values = rows.map((parts, i) => ({ env, position: position + i, at, parts: JSON.stringify(parts) }));
      for (let i = 0; i < values.length; i += 1000) await tx('stream').insert(values.slice(i, i + 1000));
      // Every third one stays as releases before 0079 write it.
      const apart = 'where env = ? and position >= ? and position % 3 > 0';
      await tx.raw(`update stream set id = env * 1000000000::bigint + position ${apart}`, [env, position]);
      await tx.raw(
        `insert into stream_parts (id, env, parts) select id, env, parts from stream ${apart} on conflict (id) do update set parts = excluded.parts`,
        [env, position],
      );
      await tx.raw(`update stream set parts = '' ${apart}`, [env, position]);
      const measures = Object.entries(counts).flatMap(([inbox, own]) =>
        Object.entries(own).map(([measure, n]) => ({ env, inbox, measure, n })),
      );
      if (measures.length > 0) await tx('counts').insert(measures).onConflict(['env', 'inbox', 'measure']).merge();
      const begun = (await tx('environments').where({ id: env }).first('epoch')) as { epoch: number };
      return { first: position, epoch: begun.epoch };
    });
    if (hint)
      this.publisher?.bus.publish(
        channels.live(env),
        JSON.stringify({ kind: 'batch', epoch, first, rows: rows.map((parts) => ({ at, parts })), counts, at }),
      );
    return first + rows.length - 1;
  }

  subscribe(
    api: Api,
    { token, env = 'production', query = '', headers = {}, protocols = [] }: SubscribeOptions,
  ): Subscriber {
    const all = token === undefined ? headers : { authorization: `Bearer ${token}`, ...headers };
    const subscriber = new Subscriber(`${api.url.replace('http', 'ws')}/api/env/${env}/live${query}`, protocols, all);
    this.#subscribers.push(subscriber);
    return subscriber;
  }

  /** Returns a subscriber that has received its hello. */
  async listening(api: Api, options: SubscribeOptions): Promise<Subscriber> {
    const subscriber = this.subscribe(api, options);
    await subscriber.next('hello');
    return subscriber;
  }

  /** Ends every subscriber so far. */
  async hangUp(): Promise<void> {
    await Promise.all(this.#subscribers.splice(0).map((subscriber) => subscriber.close()));
  }

  async close(): Promise<void> {
    await this.hangUp();
    await Promise.all([...this.#apis].map((api) => api.stop()));
    if (this.publisher !== null) await closeDeps(this.publisher);
    this.redisGate.close();
    this.databaseGate.close();
    await this.db.destroy();
    await this.#database.drop();
  }
}

export const newLiveWorld = async (): Promise<LiveWorld> => {
  const world = new LiveWorld(await newDatabase());
  await world.open();
  return world;
};
