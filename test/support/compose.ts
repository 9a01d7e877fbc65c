/**
 * compose.yaml, and an installation of it without containers: each service's command, environment, secrets and check of health as
 * processes of this machine, on an address of its own in place of its name. Used by image.test.ts and the law of compose.yaml.
 */
import { execFileSync, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { root } from '../../shared/tools/services/paths.mjs';
import { findPostgres } from '../../shared/tools/services/postgresBinary.mjs';
import { runProcess, start } from '../../shared/tools/services/processes.mjs';
import { findRedis } from '../../shared/tools/services/redisBinary.mjs';
import { userMode } from '../../shared/tools/services/userMode.mjs';
import { findProgram } from '../services/systemPrograms.mjs';
import type { Ended, Image } from './image.ts';
import { runInImage } from './image.ts';
import { startPrometheus, type Prometheus } from './prometheus.ts';
import { until } from './until.ts';

export interface ComposeService {
  readonly build?: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly env_file?: readonly { readonly path: string; readonly required: boolean }[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly deploy?: { readonly replicas: number };
  readonly networks?: readonly string[];
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly stop_grace_period?: string;
}

export interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: object;
  readonly volumes: object;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

export const readCompose = (): Compose =>
  load(readFileSync(join(root, 'compose.yaml'), 'utf8'), { schema: CORE_SCHEMA.withTags(mergeTag) }) as Compose;

/** Returns a value with each `${NAME:-default}` as it is when nothing is set. */
export const byDefault = (value: string): string => value.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');

export interface Installation {
  /** Of the load balancer. */
  readonly origin: string;
  readonly prometheus: Prometheus;
  /** Runs a command of the image as `docker compose run --rm --no-deps <service>` does. */
  run(service: string, command: readonly string[]): Promise<Ended>;
  /** Stops what serves by the image's signal; returns the exit codes by service. */
  stop(): Promise<Record<string, readonly (number | null)[]>>;
  remove(): Promise<void>;
}

/** Starts what compose.yaml describes, in the order of `depends_on`; resolves once every check of health passes. */
export const startCompose = async (image: Image): Promise<Installation> => {
  const { services } = readCompose();
  const net = `127.${String(randomInt(1, 255))}.${String(randomInt(1, 255))}`;
  const dir = mkdtempSync(join(tmpdir(), 'console-compose-'));
  chmodSync(dir, 0o755);
  const addresses = new Map(
    Object.entries(services).map(([name, { deploy: { replicas } = { replicas: 1 } }], at) => [
      name,
      Array.from({ length: replicas }, (_, i) => `${net}.${String(10 * (at + 1) + i)}`),
    ]),
  );
  const at = (name: string): readonly string[] => addresses.get(name) ?? [];
  const names = new RegExp(`\\b(${[...addresses.keys()].join('|')}):(?=\\d)`, 'g');
  /** Replaces names of services by addresses. */
  const located = (text: string): string => text.replaceAll(names, (_, name: string) => `${at(name)[0] ?? ''}:`);

  // In the image's root, as its processes may see nothing else.
  const secrets = join(image.root, 'secrets-of-compose');
  execFileSync(join(root, 'docs/examples/secrets.sh'), [secrets]);
  chmodSync(secrets, 0o755);
  for (const name of readdirSync(secrets))
    writeFileSync(join(secrets, name), located(readFileSync(join(secrets, name), 'utf8')));

  const output = openSync(join(dir, 'log.txt'), 'a');
  const children: { name: string; stop: () => Promise<unknown> }[] = [];
  const serving: { name: string; child: ChildProcess; said: { err: string } }[] = [];
  const envOf = (name: string, folder: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(services[name]?.environment ?? {}).map(([variable, value]) => [
        variable,
        located(byDefault(value)).replace('/run/secrets', folder),
      ]),
    );
  const imageEnv = (name: string, host: string): Record<string, string> => ({
    ...envOf(name, image.inside('/secrets-of-compose')),
    HOST: host,
  });

  const programs = async (): Promise<NodeJS.ProcessEnv> => {
    const redis = await findRedis();
    const folder = dirname(redis.command[0] ?? '');
    const PATH = [...(folder === '.' ? [] : [folder]), process.env['PATH']].join(delimiter);
    return { PATH, ...redis.env };
  };

  /** What PostgreSQL's image does with an empty volume, then its server. */
  const startPostgres = async (host: string): Promise<void> => {
    const home = join(dir, 'postgres');
    mkdirSync(home);
    const binary = await findPostgres();
    const mode = await userMode(home, binary.postgres);
    const env = envOf('postgres', secrets);
    const { POSTGRES_USER: user = '', POSTGRES_DB: database = '', POSTGRES_INITDB_ARGS: args = '' } = env;
    const password = join(home, 'password');
    cpSync(env['POSTGRES_PASSWORD_FILE'] ?? '', password);
    const data = join(home, 'data');
    mkdirSync(data, { mode: 0o700 });
    for (const path of [home, password, data]) mode.own(path);
    const run = async (command: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<void> => {
      const { code, output } = await runProcess([...command], { env: { ...process.env, ...more }, cwd: '/' });
      if (code !== 0) throw new Error(`${command.join(' ')}: ${output}`);
    };
    const made = await runProcess(
      [
        ...mode.prefix,
        binary.initdb,
        `--pgdata=${data}`,
        `--username=${user}`,
        `--pwfile=${password}`,
        '--auth=scram-sha-256',
        ...args.split(' '),
      ],
      { user: mode.user, cwd: '/' },
    );
    if (made.code !== 0) throw new Error(made.output);
    const child = await start({
      name: 'PostgreSQL',
      command: [...mode.prefix, binary.postgres, '-D', data, '-c', `listen_addresses=${host}`, '-k', home],
      user: mode.user,
      cwd: '/',
      output,
    });
    children.push({ name: 'postgres', stop: () => child.stop({ signal: 'SIGINT' }) });
    await healthy('postgres', host);
    const asOwner = ['psql', '-q', '-v', 'ON_ERROR_STOP=1', '-h', host, '-U', user];
    const PGPASSWORD = readFileSync(password, 'utf8').trim();
    await run([...asOwner, '-d', 'postgres', '-c', `create database ${database}`], { PGPASSWORD });
    const sql = readFileSync(join(root, 'docs/examples/postgres/serviceRole.sql'), 'utf8');
    writeFileSync(join(dir, 'serviceRole.sql'), sql.replaceAll('/run/secrets', secrets));
    await run([...asOwner, '-d', database, '-f', join(dir, 'serviceRole.sql')], { PGPASSWORD });
  };

  /** Starts a command that is not of our image. */
  const startOther = async (name: string, command: readonly string[], env: NodeJS.ProcessEnv): Promise<void> => {
    const child = await start({ name, command: [...command], env, output });
    children.push({ name, stop: () => child.stop({ signal: 'SIGTERM' }) });
  };

  const starts: Readonly<Record<string, (host: string) => Promise<void>>> = {
    postgres: startPostgres,
    redis: async (host) => {
      mkdirSync(join(dir, 'redis'));
      const command = (services['redis']?.command ?? []).map((word) =>
        word
          .replaceAll('$$', '$')
          .replaceAll('/run/secrets', secrets)
          .replace('--dir /data', `--dir ${join(dir, 'redis')} --bind ${host}`),
      );
      await startOther('redis', command, await programs());
    },
    balancer: async (host) => {
      const { command, env } = await findProgram('haproxy');
      const given = envOf('balancer', secrets);
      const LISTEN = (given['LISTEN'] ?? '').replace(/^:/, `${host}:`);
      const file = join(root, 'docs/examples/haproxy.cfg');
      await startOther('balancer', [command, '-db', '-q', '-f', file], { ...process.env, ...env, ...given, LISTEN });
    },
  };

  let prometheus: Prometheus | null = null;
  const checkOf = (name: string, host: string): readonly string[] => {
    const [kind, ...words] = services[name]?.healthcheck?.test ?? [];
    const here = words.map((word) =>
      word
        .replaceAll('$$', '$')
        .replaceAll('127.0.0.1', host)
        .replaceAll('/run/secrets', secrets)
        .replace('redis-cli ', `redis-cli -h ${host} `),
    );
    return kind === 'CMD-SHELL' ? ['sh', '-c', ...here] : here;
  };
  const healthy = async (name: string, host: string): Promise<void> => {
    const check = checkOf(name, host);
    const env = { ...process.env, ...(await programs()) };
    await until(
      `${name} is healthy`,
      async () => {
        const ended = serving.find((one) => one.name === name && one.child.exitCode !== null);
        if (ended !== undefined) throw new Error(`${name} has ended: ${ended.said.err}`);
        return services[name]?.build === undefined
          ? (await runProcess([...check], { env })).code === 0
          : (await runInImage(image, check)).code === 0;
      },
      60_000,
    );
  };

  const serve = async (name: string): Promise<void> => {
    for (const host of at(name)) {
      const { build, command, healthcheck } = services[name] ?? {};
      const ended = healthcheck?.disable === true;
      if (build !== undefined && ended) {
        const { code, err } = await runInImage(image, command ?? image.config.command, imageEnv(name, host));
        if (code !== 0) throw new Error(`${name} ended with ${String(code)}: ${err}`);
        continue;
      }
      if (build !== undefined) {
        const child = image.start(command ?? image.config.command, imageEnv(name, host));
        const said = { err: '' };
        child.stdout?.resume();
        child.stderr?.setEncoding('utf8').on('data', (piece: string) => void (said.err += piece));
        serving.push({ name, child, said });
      } else if (name === 'prometheus')
        prometheus = await startPrometheus({
          at: (target) => {
            const [service = '', port = ''] = target.split(':');
            return at(service).map((address) => `${address}:${port}`);
          },
          command: services[name]?.command ?? [],
          host,
          port: 9090,
        });
      else await (starts[name] ?? (() => Promise.reject(new Error(`Nothing here starts ${name}.`))))(host);
      await healthy(name, host);
    }
  };

  const stop = async (): Promise<Record<string, (number | null)[]>> => {
    const codes: Record<string, (number | null)[]> = {};
    await Promise.all(
      serving.splice(0).map(async ({ name, child }) => {
        const closed = once(child, 'close') as Promise<[number | null]>;
        image.signal(child, image.config.stopSignal as NodeJS.Signals);
        (codes[name] ??= []).push((await closed)[0]);
      }),
    );
    return codes;
  };
  const remove = async (): Promise<void> => {
    for (const { child } of serving) child.kill('SIGKILL');
    await prometheus?.stop();
    for (const child of children.toReversed()) await child.stop();
    closeSync(output);
    rmSync(dir, { recursive: true, force: true });
  };

  try {
    const waiting = new Set(Object.keys(services));
    while (waiting.size > 0) {
      const next = [...waiting].filter((name) =>
        Object.keys(services[name]?.depends_on ?? {}).every((other) => !waiting.has(other)),
      );
      if (next.length === 0) throw new Error('The services of compose.yaml wait for each other.');
      for (const name of next) await serve(name);
      for (const name of next) waiting.delete(name);
    }
  } catch (error) {
    await remove();
    throw error;
  }
  if (prometheus === null) throw new Error('compose.yaml has no Prometheus.');
  return {
    origin: `http://${at('balancer')[0] ?? ''}:8080`,
    prometheus,
    run: (service, command) => runInImage(image, command, imageEnv(service, at(service)[0] ?? '')),
    stop,
    remove,
  };
};
