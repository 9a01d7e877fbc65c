/** The types of a connected app: what `connect` takes and returns. */
import type { AppCalls } from '../app/link/protocol.ts';
import type { AppTypes } from './appDeclaration.ts';
import type { Timing } from './backoff.ts';
import type { AnyTypes, FlagNamesIn, RecordIn, ReportIn, StoredIn } from './clientTypes.ts';
import type { App } from './defineApp.ts';
import type { Emitter } from './events.ts';
import type { Flags } from './flags.ts';
import type { LinkProblem } from './problems.ts';
import type { AnswerStore } from './stores.ts';

/**
 * What `client.report` sends. `key` names the item: a report with the key of an open or closed item adds an occurrence to
 * it. `user` names who is affected, `at` when it happened (ms since 1970 UTC, not in the future), `delivery` (1 to 100
 * characters) is the idempotency key, made by the SDK when it is absent. A title of more than 500 characters is cut; a `key`
 * or `user` of more is sent as its beginning and a hash of the whole.
 */
export type Report = AppCalls['items.report']['params'];

/** The options of `connect`. */
export interface ConnectOptions<T extends AppTypes = AppTypes> {
  /** What `defineApp` returned. */
  readonly app: App<T>;
  /** The environment's base URL: `https://<host>/api/env/<environment>`. */
  readonly url: string;
  /** The app key of the environment, `capp_…`. */
  readonly key: string;
  /**
   * Gets every problem for which `client.on('error', …)` has no listener. Problems are written to standard error when it is
   * absent.
   */
  readonly onError?: (problem: LinkProblem) => void;
  /**
   * What happens when the service refuses the declarations, the key or the address: `retry` (the default) tries again every
   * 30 s, `exit` ends the process with exit code 1 after the problem was reported, for whatever started it to see.
   */
  readonly onRefused?: 'retry' | 'exit';
  /** Keeps the answers of runs over a restart of the app, as `fileStore` does; in memory alone by default. */
  readonly store?: AnswerStore;
  /** How many handlers run at once, 64 by default; further calls wait in order. */
  readonly concurrency?: number;
  /** How many reports and batches of records may wait for the service, 10,000 by default; further ones are rejected. */
  readonly queueLimit?: number;
  /** Names the process that has the answers, 1 to 100 characters; by default that of `store`, else a new one. */
  readonly instance?: string;
  /** When this process was started, in ms since 1970 UTC. The declarations of the process that started last hold. */
  readonly startedAt?: number;
  /** Waits and timeouts in ms, for tests; the defaults suit production. */
  readonly timing?: Partial<Timing>;
}

/**
 * A connected app, as `connect` returns it. `T` is what the app declares: names, fields and kinds are checked against it.
 * `Client` by itself takes any; `ClientOf<typeof app>` is the type of one app's client.
 */
export interface Client<T extends AppTypes = AnyTypes> extends Pick<Emitter, 'on'> {
  /** Whether the service has accepted the app and the connection holds. */
  readonly online: boolean;
  /** The name of this process at the service. */
  readonly instance: string;
  /** The environment's flags, evaluated in this process without waiting. */
  readonly flags: Flags<FlagNamesIn<T['flags']>>;
  /**
   * Creates an item, or adds an occurrence to the item with this `key`. Resolves with the item's id, and whether this report
   * created it. Reports and records are sent in the order of the calls. A report that can't be sent at once, or whose answer
   * is lost, is sent later with the time at which it was made; the service counts it once within 24 hours.
   *
   * Rejects with a `LinkProblem` of kind `request` when the service refuses the report, `full` when `queueLimit` of them
   * wait already, `closed` when the client closes first. A rejection that nobody handles, here or in what `then` and
   * `finally` make of it, goes to `onError` and never ends the process.
   *
   * @example
   * await client.report({ inbox: 'errors', title: error.message, key: `checkout ${error.name}`, data: { stack: error.stack } });
   */
  report(report: ReportIn<T>): Promise<AppCalls['items.report']['result']>;
  /**
   * Stores records of a resource with `source: 'stored'`, each replacing the stored record of its id. Takes any number: they
   * are sent in order, in batches of at most 1,000 records, 4 MiB and 50,000 members; a `resource`, which the records of
   * handlers have, must be this one. Resolves with how many were stored;
   * rejects as `report`. The first batch that has a wrong record is refused as a whole: those before it are stored, those
   * after it are not sent.
   *
   * @example
   * await client.putRecords('order', [{ id: 'o1', title: 'Order 1', fields: { total: 1200 } }]);
   */
  putRecords<R extends StoredIn<T['sources']>>(
    resource: R,
    records: readonly RecordIn<T['resources'], R>[],
  ): Promise<{ readonly stored: number }>;
  /** Deletes stored records by their ids. Resolves with how many there were; rejects as `report`. */
  deleteRecords(resource: StoredIn<T['sources']>, ids: readonly string[]): Promise<{ readonly deleted: number }>;
  /**
   * Ends the connection for good: takes no more runs, replies and items to triage, waits up to `drainMs` ms (10,000 by
   * default) for running handlers and waiting reports, aborts the rest, and waits another second for their answers. Reads are
   * served until then. Never rejects; later calls return the first call's promise.
   *
   * @example
   * process.once('SIGTERM', () => void client.close().then(() => process.exit(0)));
   */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

/** The type of the client that `connect` returns for an app: `ClientOf<typeof app>`. */
export type ClientOf<A extends App> = A extends App<infer T> ? Client<T> : Client;
