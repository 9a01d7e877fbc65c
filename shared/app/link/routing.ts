/** Chooses the connection of a call: the least busy one that declares what is called. Used by redisLink.ts. */
import type { Db } from '../../platform/db/knex.ts';
import { ConnectionCache, type CachedConnection } from './connectionCache.ts';
import { declaresIt } from './declarationKeys.ts';
import type { AppConnection, Declaration } from './link.ts';
import type { LocalSockets } from './localConnections.ts';

interface Candidate {
  readonly connection: AppConnection;
  readonly busy: number;
}

interface RoutingDeps {
  readonly db: Db;
  readonly sockets: LocalSockets;
  readonly isSuspect: (process: string) => boolean;
  /** Returns whether other processes can be reached. */
  readonly reaches: () => boolean;
}

export class Routing {
  readonly connections: ConnectionCache;
  readonly #parts: RoutingDeps;
  /** Pending calls of this process to sockets of others, by connection. */
  readonly #own = new Map<string, number>();
  #turn = 0;

  constructor(parts: RoutingDeps) {
    this.#parts = parts;
    this.connections = new ConnectionCache(parts.db, (connection) => this.#own.get(connection) ?? 0);
  }

  /** Returns the connection for a call that began at `startedAt`, none of `not`; null: offline. Throws when PostgreSQL is unavailable and no socket is here. */
  async choose(
    envId: number,
    declares: Declaration | undefined,
    not?: ReadonlySet<string>,
    startedAt = performance.now(),
  ): Promise<AppConnection | null> {
    const own = this.#here(envId, declares, not);
    if (!this.#parts.reaches() && own.length > 0) return this.#least(own);
    const others = await this.#others(envId, declares, not).catch((error: unknown) => {
      if (own.length === 0) throw error;
      return [];
    });
    const found = this.#least([...own, ...others]);
    if (found !== null) return found;
    // An app may have come just now: a reading from before the call must not make it offline.
    await this.connections.read(envId, startedAt);
    return this.#least([...this.#here(envId, declares, not), ...(await this.#others(envId, declares, not))]);
  }

  callStarted(connection: string): void {
    this.#own.set(connection, (this.#own.get(connection) ?? 0) + 1);
  }

  callEnded(connection: string): void {
    const left = (this.#own.get(connection) ?? 1) - 1;
    if (left === 0) this.#own.delete(connection);
    else this.#own.set(connection, left);
  }

  #here(envId: number, declares: Declaration | undefined, not: ReadonlySet<string> | undefined): Candidate[] {
    return this.#parts.sockets
      .of(envId)
      .filter(
        (held) =>
          (declares === undefined || declaresIt((key) => held.declares.has(key), declares)) &&
          not?.has(held.connection.id) !== true,
      )
      .map(({ connection, busy }) => ({ connection, busy }));
  }

  async #others(
    envId: number,
    declares: Declaration | undefined,
    not: ReadonlySet<string> | undefined,
  ): Promise<Candidate[]> {
    const fits = (row: CachedConnection): boolean =>
      row.process !== this.#parts.sockets.process &&
      (declares === undefined || declaresIt((key) => row.declares.includes(key), declares)) &&
      not?.has(row.id) !== true;
    return (await this.connections.read(envId)).filter(fits).map(({ id, instance, process, others }) => ({
      connection: { id, instance, process },
      // A suspect is called only when there is no other process.
      busy: others + (this.#own.get(id) ?? 0) + (this.#parts.isSuspect(process) ? 1e6 : 0),
    }));
  }

  /** Returns the least busy candidate; equally busy ones take turns. */
  #least(candidates: readonly Candidate[]): AppConnection | null {
    const least = Math.min(...candidates.map(({ busy }) => busy));
    const equal = candidates.filter(({ busy }) => busy === least);
    this.#turn = (this.#turn + 1) % 1_000_000;
    return equal[this.#turn % Math.max(1, equal.length)]?.connection ?? null;
  }
}
