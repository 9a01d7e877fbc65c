/** Measures how long a service is unwell: writes at short intervals, whatever becomes of them. Used by failover.ts. */
import { randomUUID } from 'node:crypto';
import { until } from '../../../support/until.ts';
import type { Client } from '../client.ts';
import { problemOf } from '../journal.ts';
import { pause } from '../pause.ts';
import { send } from '../send.ts';

const everyMs = 200;
const timeoutMs = 8_000;
/** After so long without a failure the service is well. */
const calmMs = 4_000;

interface Probed {
  readonly sentAt: number;
  readonly endedAt: number;
  readonly ok: boolean;
}

export class Probe {
  /** Problems of answers that the contract does not allow. */
  readonly violations: string[] = [];
  readonly #client: Client;
  readonly #item: string;
  readonly #probed: Probed[] = [];
  #stopped = false;
  readonly #probing: Promise<void>;

  constructor(client: Client, item: string) {
    this.#client = client;
    this.#item = item;
    this.#probing = this.#run();
  }

  /** Returns the ms from `at` to the end of the first good write after the last failed one, once the service is well. */
  async wellAfter(at: number): Promise<number> {
    const well = (): number | null => {
      const since = this.#probed.filter(({ endedAt }) => endedAt >= at);
      const failed = Math.max(at, ...since.filter(({ ok }) => !ok).map(({ sentAt }) => sentAt));
      const good = since.filter(({ ok, sentAt }) => ok && sentAt > failed).map(({ endedAt }) => endedAt);
      if (good.length === 0 || Math.max(...good) - Math.min(...good) < calmMs) return null;
      return Math.min(...good) - at;
    };
    return until('the service is well again', well, 120_000);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#probing;
  }

  async #run(): Promise<void> {
    const under: Promise<void>[] = [];
    for (let n = 0; !this.#stopped; n++) {
      const bases = this.#client.bases();
      under.push(this.#once(bases[n % bases.length] ?? ''));
      await pause(everyMs);
    }
    await Promise.all(under);
  }

  async #once(base: string): Promise<void> {
    const sentAt = Date.now();
    const url = `${base}/items/${this.#item}/notes`;
    const headers = { 'idempotency-key': randomUUID() };
    const { token } = this.#client;
    const asked = { method: 'POST', url, token, body: { text: 'probe' }, headers, timeoutMs };
    const ok = await send(asked).then(
      (answer) => {
        const problem = problemOf(answer);
        if (problem !== null) this.violations.push(problem);
        return answer.status < 300;
      },
      () => false,
    );
    this.#probed.push({ sentAt, endedAt: Date.now(), ok });
  }
}
