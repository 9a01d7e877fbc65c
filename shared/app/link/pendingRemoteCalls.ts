/** What this process waits for from processes that have sockets of apps: accepted in time or not, ended once. Used by remoteCalls.ts. */
import { randomUUID } from 'node:crypto';
import type { AppConnection } from './link.ts';
import type { RelayOutcome } from './localConnections.ts';

/** In ms: how long the other process has to accept a call, and how long a process that did not is called last. */
export const acceptTimeoutMs = 1_000;
const suspectTtlMs = 15_000;

interface PendingRemoteCall {
  readonly connection: AppConnection;
  /** Of a run that a call waits for: it ends when its connection has gone. */
  readonly envId: number | null;
  taken: boolean;
  timer: NodeJS.Timeout | undefined;
  /** How long it may take once it is accepted, in ms; null: until it is ended here. */
  readonly timeoutMs: number | null;
  readonly end: (relayed: RelayOutcome) => void;
}

type NewPendingCall = Pick<PendingRemoteCall, 'connection' | 'timeoutMs' | 'end'> & { readonly envId?: number };

export class PendingRemoteCalls {
  readonly #calls = new Map<string, PendingRemoteCall>();
  /** Processes that did not accept a call, with the time (`performance.now()`). */
  readonly #suspects = new Map<string, number>();

  /** Returns whether a process seems to be gone, or cut off from Redis. */
  isSuspect(process: string): boolean {
    const since = this.#suspects.get(process);
    if (since === undefined) return false;
    if (performance.now() - since < suspectTtlMs) return true;
    this.#suspects.delete(process);
    return false;
  }

  /** Returns the id of a call that has begun now. */
  add({ connection, envId, timeoutMs, end }: NewPendingCall): string {
    const id = randomUUID();
    const timer = setTimeout(() => {
      this.#suspects.set(connection.process, performance.now());
      this.end(id, { kind: 'lost' });
    }, acceptTimeoutMs);
    this.#calls.set(id, { connection, envId: envId ?? null, taken: false, timer, timeoutMs, end });
    return id;
  }

  has(id: string): boolean {
    return this.#calls.has(id);
  }

  /** Takes note that the other process has accepted a call. */
  take(id: string): void {
    const call = this.#calls.get(id);
    if (call === undefined || call.taken) return;
    call.taken = true;
    this.#suspects.delete(call.connection.process);
    clearTimeout(call.timer);
    call.timer = undefined;
    if (call.timeoutMs === 0) this.end(id, { kind: 'lost' });
    // The process that has the socket reports a timeout itself; this timer is for a process that was killed meanwhile.
    else if (call.timeoutMs !== null)
      call.timer = setTimeout(() => {
        this.end(id, { kind: 'timeout' });
      }, call.timeoutMs + acceptTimeoutMs);
  }

  end(id: string, relayed: RelayOutcome): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    this.#calls.delete(id);
    clearTimeout(call.timer);
    call.end(relayed);
  }

  /** Forgets a call without an outcome. */
  remove(id: string): void {
    clearTimeout(this.#calls.get(id)?.timer);
    this.#calls.delete(id);
  }

  endAll(): void {
    for (const id of this.#calls.keys()) this.end(id, { kind: 'lost' });
  }

  /** Returns the processes that calls wait for which end when their connection has gone. */
  watchedProcesses(): Set<string> {
    return new Set([...this.#watched()].map(([, { connection }]) => connection.process));
  }

  isWatching(envId: number): boolean {
    return [...this.#watched()].some(([, call]) => call.envId === envId);
  }

  /** Ends the watched calls whose connection `hasGone`. */
  endWatched(hasGone: (connection: AppConnection, envId: number) => boolean): void {
    for (const [id, { connection, envId }] of this.#watched())
      if (envId !== null && hasGone(connection, envId)) this.end(id, { kind: 'lost' });
  }

  #watched(): [string, PendingRemoteCall][] {
    return [...this.#calls].filter(([, { envId }]) => envId !== null);
  }
}
