/**
 * The app link of every process (`deps.link`): reads presence from PostgreSQL, and calls on the sockets of this process or,
 * through Redis, on those of others.
 */
import type { Config } from '../../platform/config/config.ts';
import type { Db } from '../../platform/db/knex.ts';
import { newHolderName } from '../../platform/leases/leaderLease.ts';
import type { Log } from '../../platform/log/log.ts';
import { channels, type Bus } from '../../platform/redis/bus.ts';
import type { RefusalReporter } from '../../platform/redis/droppedMessages.ts';
import type { Clock } from '../../platform/time/clock.ts';
import { parseCallOutcome } from './callOutcome.ts';
import type { AskingMethod, AppConnection, AppLink, CallOptions, CallOutcome, ReplyJob } from './link.ts';
import { attachLocalSockets, LocalSockets, type RelayOutcome } from './localConnections.ts';
import { observeCall } from './metrics.ts';
import { linkLimits, rpcCodes, type ServiceCalls } from './protocol.ts';
import { RemoteCalls } from './remoteCalls.ts';
import { Routing } from './routing.ts';

interface AppLinkDeps {
  readonly db: Db;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly config: Config;
  readonly log: Log;
  readonly onRefused: RefusalReporter;
}

/** Connections that are tried for one call while nothing was sent yet. */
const attemptsMax = 4;
/** Bytes of params: a frame less what stands around them. */
const paramsMax = linkLimits.frameBytes - 1024;

const toCallOutcome = (relayed: RelayOutcome): CallOutcome<unknown> =>
  relayed.kind === 'frame' ? parseCallOutcome(relayed.message) : relayed;

/** Parses a hint of `emitPresence` (presence.ts). */
const parsePresenceHint = (text: string): { envId: number; online: boolean; changed: boolean } =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `emitPresence` publishes on this channel
  JSON.parse(text) as { envId: number; online: boolean; changed: boolean };

/** Opens the app link of this process. The caller closes it. */
export const openAppLink = ({ db, bus, config, onRefused }: AppLinkDeps): AppLink => {
  const sockets = new LocalSockets(newHolderName(config.processName));
  const remote = new RemoteCalls({ bus, sockets, onRefused });
  const routing = new Routing({
    db,
    sockets,
    isSuspect: (process) => remote.pending.isSuspect(process),
    reaches: () => bus.connected,
  });
  const listeners = new Set<(envId: number, online: boolean) => void>();
  const telling = new Map<number, () => void>();

  sockets.onReplaced = (process, connection) => {
    if (process === sockets.process)
      sockets
        .all()
        .find((held) => held.connection.id === connection)
        ?.replaced();
    else remote.replaced(process, connection);
  };
  sockets.onFirstSocket = (envId) => {
    telling.set(
      envId,
      bus.subscribe(channels.appTold(envId), (text) => {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `notify` below publishes on this channel
        const { from, method, params } = JSON.parse(text) as { from: string; method: 'flags.changed'; params: string };
        if (from !== sockets.process) for (const held of sockets.of(envId)) held.sendNotification(method, params);
      }),
    );
  };
  sockets.onLastSocket = (envId) => {
    telling.get(envId)?.();
    telling.delete(envId);
  };
  const unsubscribe = bus.subscribe(channels.app, (text) => {
    const { envId, online, changed } = parsePresenceHint(text);
    routing.connections.invalidate(envId);
    // Without PostgreSQL the calls that wait for runs find out by themselves.
    endGone(envId).catch(() => undefined);
    if (changed) for (const listener of listeners) listener(envId, online);
  });

  const callAt = async (
    connection: AppConnection,
    method: AskingMethod,
    params: string,
    timeoutMs: number,
  ): Promise<RelayOutcome> => {
    if (connection.process === sockets.process)
      return (await sockets.get(connection.id)?.relay(method, params, timeoutMs)) ?? { kind: 'offline' };
    routing.callStarted(connection.id);
    try {
      return await remote.call(connection, method, params, timeoutMs);
    } finally {
      routing.callEnded(connection.id);
    }
  };

  /** Calls, and retries on another connection when nothing was sent, and once when the answer was lost. */
  const attempt = async (
    envId: number,
    method: AskingMethod,
    params: string,
    { declares, timeoutMs }: CallOptions,
  ): Promise<CallOutcome<unknown>> => {
    const until = performance.now() + timeoutMs;
    const tried = new Set<string>();
    let lost = false;
    for (let tries = 0; tries < attemptsMax; tries++) {
      const connection = await routing.choose(envId, declares, tried);
      const left = until - performance.now();
      if (connection === null) break;
      // Somebody is there, and was not asked in time: to call that offline would blame the app.
      if (left <= 0) return { kind: lost ? 'lost' : 'timeout' };
      const relayed = await callAt(connection, method, params, left);
      if (relayed.kind === 'offline') routing.connections.invalidate(envId);
      else if (relayed.kind !== 'lost' || lost) return toCallOutcome(relayed);
      lost ||= relayed.kind === 'lost';
      tried.add(connection.id);
    }
    return { kind: lost ? 'lost' : 'offline' };
  };

  const call: AppLink['call'] = async <M extends AskingMethod>(
    envId: number,
    method: M,
    params: ServiceCalls[M]['params'],
    options: CallOptions,
  ) => {
    const began = performance.now();
    const text = JSON.stringify(params);
    const outcome: CallOutcome<unknown> =
      Buffer.byteLength(text) > paramsMax
        ? {
            kind: 'error',
            code: rpcCodes.internalError,
            message: 'The call is larger than a frame may be.',
            retryable: false,
          }
        : await attempt(envId, method, text, options);
    observeCall(method, outcome.kind, performance.now() - began);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the callers of each method check its result
    return outcome as CallOutcome<ServiceCalls[M]['result']>;
  };

  const sendReply = async (
    connection: AppConnection,
    envId: number,
    job: ReplyJob,
    timeoutMs: number,
  ): Promise<CallOutcome<unknown>> => {
    if (connection.process === sockets.process)
      return toCallOutcome(await sockets.sendReply(connection.id, envId, job, timeoutMs));
    routing.callStarted(connection.id);
    try {
      return toCallOutcome(await remote.sendReply(connection, envId, job, timeoutMs));
    } finally {
      routing.callEnded(connection.id);
    }
  };

  /** Ends the waits for runs whose connection has no row any more. */
  const endGone = async (envId: number): Promise<void> => {
    if (!remote.pending.isWatching(envId)) return;
    const rows = await routing.connections.read(envId, performance.now());
    const online = new Set(rows.map(({ id }) => id));
    remote.pending.endWatched(({ id }, of) => of === envId && !online.has(id));
  };

  return attachLocalSockets(
    {
      online: async (envId, declares, since) => (await routing.choose(envId, declares, undefined, since)) !== null,
      chooseConnection: (envId, declares, except) => routing.choose(envId, declares, except),
      call,
      dispatchRun: (connection, envId, hint, onGone) => {
        if (connection.process !== sockets.process) return remote.dispatchRun(connection, envId, hint, onGone);
        const local = sockets.getForWork(connection.id);
        if (local === undefined) onGone?.(true);
        else sockets.dispatchRun(local, envId, hint);
        return () => undefined;
      },
      sendReply: async (connection, envId, job, timeoutMs) => {
        const began = performance.now();
        const outcome = await sendReply(connection, envId, job, timeoutMs);
        observeCall('reply.send', outcome.kind, performance.now() - began);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the result of a reply is not read
        return outcome as CallOutcome<ServiceCalls['reply.send']['result']>;
      },
      notify: (envId, method, params) => {
        const text = JSON.stringify(params);
        for (const held of sockets.of(envId)) held.sendNotification(method, text);
        bus.publish(channels.appTold(envId), JSON.stringify({ from: sockets.process, method, params: text }));
      },
      onPresence: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      close: () => {
        unsubscribe();
        for (const end of telling.values()) end();
        remote.close();
        return Promise.resolve();
      },
    },
    sockets,
  );
};
