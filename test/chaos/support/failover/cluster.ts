/** PostgreSQL that fails over: etcd, two nodes under Patroni and HAProxy before them, as docs/production.md describes it. */
import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort } from '../../../../shared/tools/services/ports.mjs';
import type { PostgresServer } from '../../../../shared/tools/services/postgres.mjs';
import {
  appRole,
  databaseName,
  ownerRole,
  passwords,
  prepare,
} from '../../../../shared/tools/services/postgresCluster.mjs';
import { start, type Child } from '../../../../shared/tools/services/processes.mjs';
import { userMode } from '../../../../shared/tools/services/userMode.mjs';
import { findProgram } from '../../../services/systemPrograms.mjs';
import { until } from '../../../support/until.ts';
import { DatabaseNode } from './node.ts';

const startMs = 120_000;

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
}

interface Servers {
  readonly etcd: Child;
  readonly haproxy: Child;
  readonly port: number;
  readonly passwords: { readonly owner: string; readonly app: string };
}

const openLog = async <T>(file: string, work: (output: number) => Promise<T>): Promise<T> => {
  const output = openSync(file, 'a');
  try {
    return await work(output);
  } finally {
    closeSync(output);
  }
};

const startEtcd = async (dir: string): Promise<{ readonly child: Child; readonly port: number }> => {
  const { command, env } = await findProgram('etcd');
  const [port, peers] = [await freePort(), await freePort()];
  const own = (at: number): string => `http://127.0.0.1:${String(at)}`;
  const flags = {
    'data-dir': join(dir, 'etcd'),
    'listen-client-urls': own(port),
    'advertise-client-urls': own(port),
    'listen-peer-urls': own(peers),
    'initial-advertise-peer-urls': own(peers),
    'initial-cluster': `default=${own(peers)}`,
    'enable-v2': 'true',
  };
  const child = await openLog(join(dir, 'etcd.log'), (output) =>
    start({
      name: 'etcd',
      command: [command, ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`)],
      env: { ...process.env, ...env, ETCD_UNSUPPORTED_ARCH: process.arch },
      output,
    }),
  );
  const healthy = (): Promise<boolean> =>
    fetch(`${own(port)}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until('etcd answers', healthy, startMs);
  return { child, port };
};

const haproxyConfig = (port: number, nodes: readonly DatabaseNode[]): string =>
  [
    'defaults',
    '  mode tcp',
    '  timeout connect 2s',
    '  timeout client 30m',
    '  timeout server 30m',
    '  timeout check 1s',
    'listen primary',
    `  bind 127.0.0.1:${String(port)}`,
    '  option httpchk GET /primary',
    '  http-check expect status 200',
    '  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions',
    ...nodes.map(
      ({ name, relays }) =>
        `  server ${name} 127.0.0.1:${String(relays.clients.port)} check port ${String(relays.rest.port)}`,
    ),
    '',
  ].join('\n');

const startHaproxy = async (
  dir: string,
  nodes: readonly DatabaseNode[],
): Promise<{ readonly child: Child; readonly port: number }> => {
  const { command, env } = await findProgram('haproxy');
  const port = await freePort();
  const config = join(dir, 'haproxy.cfg');
  writeFileSync(config, haproxyConfig(port, nodes));
  const child = await openLog(join(dir, 'haproxy.log'), (output) =>
    start({ name: 'HAProxy', command: [command, '-db', '-f', config], env: { ...process.env, ...env }, output }),
  );
  return { child, port };
};

export class Cluster implements PostgresServer {
  readonly nodes: readonly DatabaseNode[];
  readonly #servers: Servers;

  private constructor(nodes: readonly DatabaseNode[], servers: Servers) {
    this.nodes = nodes;
    this.#servers = servers;
  }

  /** Starts everything; resolves once the standby is synchronous and the service's role and database exist. */
  static async open(dir: string): Promise<Cluster> {
    mkdirSync(dir, { recursive: true });
    chmodSync(dir, 0o755);
    const [patroni, postgres] = [await findProgram('patroni'), await findProgram('postgresql15')];
    const mode = await userMode(dir, postgres.command);
    const known = passwords(dir);
    const etcd = await startEtcd(dir);
    const env = { ...patroni.env, ...postgres.env };
    const secrets = { owner: known.owner, replication: randomBytes(18).toString('hex') };
    const nodes: DatabaseNode[] = [];
    for (const name of ['a', 'b']) {
      const options = {
        name,
        dir: join(dir, name),
        bin: dirname(postgres.command),
        superuser: ownerRole,
        passwords: secrets,
      };
      nodes.push(await DatabaseNode.open(options, { patroni: { ...patroni, env }, mode }, etcd.port));
    }
    const haproxy = await startHaproxy(dir, nodes);
    const cluster = new Cluster(nodes, {
      etcd: etcd.child,
      haproxy: haproxy.child,
      port: haproxy.port,
      passwords: known,
    });
    await cluster.ready();
    await until('the primary answers through HAProxy', () => cluster.#prepared(), startMs);
    return cluster;
  }

  get url(): string {
    return this.#address(appRole, this.#servers.passwords.app, databaseName);
  }

  get ownerUrl(): string {
    return this.#address(ownerRole, this.#servers.passwords.owner, databaseName);
  }

  get port(): number {
    return this.#servers.port;
  }

  get pid(): number {
    return this.#servers.haproxy.pid;
  }

  /** Returns the members, as the first node that answers knows them; none when no node does. */
  async members(): Promise<readonly Member[]> {
    for (const { relays } of this.nodes) {
      const url = `http://127.0.0.1:${String(relays.rest.port)}/cluster`;
      const answer = await fetch(url, { signal: AbortSignal.timeout(1_000) })
        // Patroni's documentation says what this endpoint returns.
        .then(async (response) => (response.ok ? ((await response.json()) as { members: Member[] }) : null))
        .catch(() => null);
      if (answer !== null) return answer.members;
    }
    return [];
  }

  /** Returns the primary. */
  async primary(): Promise<DatabaseNode> {
    return until(
      'there is a primary',
      async () => {
        const leader = (await this.members()).find(({ role, state }) => role === 'leader' && state === 'running');
        return this.nodes.find(({ name }) => name === leader?.name);
      },
      startMs,
    );
  }

  /** Resolves once every node runs, on one timeline, and the standby has the wanted role. */
  async ready(standby: 'sync_standby' | 'replica' = 'sync_standby'): Promise<void> {
    const isReady = async (): Promise<boolean> => {
      const members = await this.members();
      return (
        members.length === this.nodes.length &&
        members.some(({ role }) => role === 'leader') &&
        members.some(({ role }) => role === standby) &&
        members.every(({ state }) => state === 'running' || state === 'streaming') &&
        new Set(members.map(({ timeline }) => timeline)).size === 1
      );
    };
    await until(`the standby is a ${standby}`, isReady, startMs);
  }

  /** Changes settings of the cluster while it runs. */
  async configure(settings: object): Promise<void> {
    const { relays } = await this.primary();
    const answer = await fetch(`http://127.0.0.1:${String(relays.rest.port)}/config`, {
      method: 'PATCH',
      body: JSON.stringify(settings),
    });
    if (!answer.ok) throw new Error(`Patroni refused its settings: ${await answer.text()}`);
  }

  /** Ends every process, in whatever state the nodes are. */
  async stop(): Promise<void> {
    const { etcd, haproxy } = this.#servers;
    await Promise.all(this.nodes.map((node) => node.close()));
    for (const child of [haproxy, etcd]) await child.stop({ signal: 'SIGKILL' });
  }

  async kill(): Promise<void> {
    await (await this.primary()).kill();
  }

  async restart(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.mend()));
    await this.ready();
  }

  exited(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    return this.#servers.haproxy.exited;
  }

  #address(role: string, password: string, database: string): string {
    return `postgres://${role}:${password}@127.0.0.1:${String(this.port)}/${database}`;
  }

  async #prepared(): Promise<boolean> {
    const { owner, app } = this.#servers.passwords;
    return prepare(this.#address(ownerRole, owner, 'postgres'), app).then(
      () => true,
      () => false,
    );
  }
}
