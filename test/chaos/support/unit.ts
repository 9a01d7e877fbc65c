/** One process of a site, an API, a worker or a customer's app: a real child that is killed, frozen, thawed, terminated and started again. */
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { program } from '../../../shared/tools/services/compile.mjs';
import { dieWithParent, start, type Child } from '../../../shared/tools/services/processes.mjs';
import { blockedLoopLines } from '../../support/eventLoop.ts';
import { pause } from './pause.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const files = { api: 'api/main.ts', worker: 'workers/main.ts', app: 'test/chaos/support/customersApp.ts' } as const;
const readyWord = { api: '"listening"', worker: 'the workers are ready', app: 'the app runs' } as const;

export type UnitKind = keyof typeof files;

export interface UnitOptions {
  readonly kind: UnitKind;
  readonly name: string;
  readonly env: NodeJS.ProcessEnv;
  /** Each start writes `<log>.<n>`. */
  readonly log: string;
}

export interface Ended {
  readonly ms: number;
  readonly code: number | null;
  readonly signal: string | null;
}

export class Unit {
  readonly kind: UnitKind;
  readonly name: string;
  /** Exits that nobody requested. */
  readonly crashes: string[] = [];
  frozen = false;
  starts = 0;
  readonly #options: UnitOptions;
  #child: Child | null = null;
  #ready = false;

  constructor(options: UnitOptions) {
    this.#options = options;
    this.kind = options.kind;
    this.name = options.name;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Started, ready and not ended, but perhaps frozen. */
  get isUp(): boolean {
    return this.#ready;
  }

  /** Starts it as a supervisor would: again when it ends at once, which it may while PostgreSQL is unavailable. */
  async start(ms = 90_000): Promise<void> {
    const deadline = Date.now() + ms;
    while (!this.#ready) {
      const child = await this.#launch();
      while (child.alive() && !this.log().includes(readyWord[this.kind])) {
        if (Date.now() > deadline) break;
        await pause(20);
      }
      if (child.alive() && Date.now() <= deadline) {
        this.#ready = true;
        return;
      }
      await child.stop({ signal: 'SIGKILL' });
      if (Date.now() > deadline) throw new Error(`${this.name} did not start:\n${this.log().slice(-2000)}`);
      await pause(200);
    }
  }

  async kill(): Promise<void> {
    this.#ready = false;
    this.frozen = false;
    await this.#child?.stop({ signal: 'SIGKILL' });
  }

  freeze(): void {
    if (!this.#ready || this.frozen) return;
    this.frozen = true;
    this.#child?.signal('SIGSTOP');
  }

  thaw(): void {
    if (!this.frozen) return;
    this.frozen = false;
    this.#child?.signal('SIGCONT');
  }

  /** SIGTERM; killed when it isn't out after 30 s. */
  async terminate(): Promise<Ended> {
    const child = this.#child;
    this.#ready = false;
    this.thaw();
    const since = performance.now();
    await child?.stop({ signal: 'SIGTERM', graceMs: 30_000 });
    const { code, signal } = (await child?.exited) ?? { code: null, signal: null };
    return { ms: performance.now() - since, code, signal };
  }

  /** Memory in MiB that it holds now. */
  memory(): number {
    return Number(spawnSync('ps', ['-o', 'rss=', '-p', String(this.pid)], { encoding: 'utf8' }).stdout) / 1024;
  }

  /** What the present process has logged. */
  log(): string {
    const file = this.#logFile();
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  /** Every time that one of its processes has blocked its event loop so far. */
  blockedLoops(): string[] {
    return this.#linesOf(blockedLoopLines);
  }

  /** What its processes have said of a PostgreSQL that did not serve them, which a client learns as `unavailable`. */
  outages(): string[] {
    return this.#linesOf((log) => log.split('\n').filter((line) => line.includes('PostgreSQL is unavailable')));
  }

  #linesOf(select: (log: string) => readonly string[]): string[] {
    return Array.from({ length: this.starts }, (_, n) => this.#logFile(n + 1))
      .filter((file) => existsSync(file))
      .flatMap((file) => select(readFileSync(file, 'utf8')))
      .map((line) => `${this.name}: ${line}`);
  }

  #logFile(start = this.starts): string {
    return `${this.#options.log}.${String(start)}`;
  }

  async #launch(): Promise<Child> {
    const command = await program(files[this.kind]);
    this.starts += 1;
    const output = openSync(this.#logFile(), 'a');
    const { name, env } = this.#options;
    try {
      // Whatever ends us, a frozen child must not stay: only SIGKILL reaches it.
      const child = await start({
        name,
        command: dieWithParent(command, 'SIGKILL'),
        cwd: root,
        env,
        output,
        deathSignal: 'SIGKILL',
      });
      this.#child = child;
      void child.exited.then(({ code, signal }) => {
        if (this.#child !== child || !this.#ready) return;
        this.#ready = false;
        this.crashes.push(
          `${name} ended by itself (${signal ?? `exit code ${String(code)}`}): ${this.log().slice(-500)}`,
        );
      });
      return child;
    } finally {
      closeSync(output);
    }
  }
}
