/** One node of a cluster: Patroni with its PostgreSQL, which is killed, frozen and cut off as a machine is. Used by cluster.ts. */
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../../shared/tools/services/ports.mjs';
import { start, type Child } from '../../../../shared/tools/services/processes.mjs';
import type { UserMode } from '../../../../shared/tools/services/userMode.mjs';
import type { SystemProgram } from '../../../services/systemPrograms.mjs';
import { signalAll, withDescendants } from '../../../support/processTree.ts';
import { openRelay, type Relay } from '../relay.ts';
import { patroniConfig, type NodeOptions } from './patroniConfig.ts';

export interface NodePrograms {
  readonly patroni: SystemProgram;
  readonly mode: UserMode;
}

interface Relays {
  /** To PostgreSQL, for the balancer and for the other node. */
  readonly clients: Relay;
  readonly replication: Relay;
  readonly rest: Relay;
  /** From the node. */
  readonly etcd: Relay;
}

export class DatabaseNode {
  readonly name: string;
  readonly relays: Relays;
  readonly #options: NodeOptions;
  readonly #programs: NodePrograms;
  #child: Child | null = null;

  private constructor(options: NodeOptions, programs: NodePrograms, relays: Relays) {
    this.name = options.name;
    this.#options = options;
    this.#programs = programs;
    this.relays = relays;
  }

  /** Starts Patroni, which makes the data: of the first node by initdb, of others from the primary. */
  static async open(options: NodeOptions, programs: NodePrograms, etcdPort: number): Promise<DatabaseNode> {
    const [postgres, rest] = [await freePort(), await freePort()];
    const relays: Relays = {
      clients: await openRelay(postgres),
      replication: await openRelay(postgres),
      rest: await openRelay(rest),
      etcd: await openRelay(etcdPort),
    };
    mkdirSync(options.dir, { recursive: true, mode: 0o700 });
    programs.mode.own(options.dir);
    const config = patroniConfig(options, {
      postgres,
      rest,
      replication: relays.replication.port,
      restForOthers: relays.rest.port,
      etcd: relays.etcd.port,
    });
    const file = join(options.dir, 'patroni.yml');
    writeFileSync(file, JSON.stringify(config, null, 2), { mode: 0o600 });
    programs.mode.own(file);
    const node = new DatabaseNode(options, programs, relays);
    await node.start();
    return node;
  }

  async start(): Promise<void> {
    if (this.#child?.alive() === true) return;
    const { patroni, mode } = this.#programs;
    const { dir, name } = this.#options;
    const output = openSync(`${dir}.log`, 'a');
    try {
      this.#child = await start({
        name: `Patroni ${name}`,
        command: [...mode.prefix, patroni.command, join(dir, 'patroni.yml')],
        cwd: '/',
        env: { ...process.env, ...patroni.env, HOME: dir, LC_ALL: 'C.UTF-8' },
        output,
        user: mode.user,
      });
    } finally {
      closeSync(output);
    }
  }

  /** SIGKILL to everything, as when the machine loses its power. */
  async kill(): Promise<void> {
    signalAll(this.#processes(), 'SIGKILL');
    await this.#child?.exited;
  }

  freeze(): void {
    // Once more: what was started between the look and the signal.
    for (let i = 0; i < 2; i++) signalAll(this.#processes(), 'SIGSTOP');
  }

  thaw(): void {
    signalAll(this.#processes(), 'SIGCONT');
  }

  get #all(): readonly Relay[] {
    const { clients, replication, rest, etcd } = this.relays;
    return [clients, replication, rest, etcd];
  }

  /** Nothing comes to the node and nothing leaves it. */
  cutOff(): void {
    for (const relay of this.#all) relay.cut();
  }

  /** Undoes whatever was done to the node. */
  async mend(): Promise<void> {
    this.thaw();
    for (const relay of this.#all) relay.mend();
    await this.start();
  }

  async close(): Promise<void> {
    this.thaw();
    await this.kill();
    await Promise.all(this.#all.map((relay) => relay.close()));
  }

  #processes(): number[] {
    const roots = [this.#child?.alive() === true ? this.#child.pid : 0, this.#postmaster()];
    return withDescendants(roots.filter((pid) => pid > 0));
  }

  /** PostgreSQL leaves Patroni's tree, so that it outlives it. */
  #postmaster(): number {
    try {
      const pid = Number(readFileSync(join(this.#options.dir, 'data/postmaster.pid'), 'utf8').split('\n')[0]);
      return readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8').includes(this.#options.dir) ? pid : 0;
    } catch {
      return 0;
    }
  }
}
