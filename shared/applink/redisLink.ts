/**
 * The app link of every process (`deps.link`): reads presence from PostgreSQL, and calls on the sockets of this process or,
 * through Redis, on those of others.
 */
import type { Clock } from '../platform/core/clock.ts';
import type { Config } from '../platform/core/config.ts';
import type { Log } from '../platform/core/log.ts';
import type { Db } from '../platform/db/knex.ts';
import { newHolderName } from '../platform/outbox/leaderLease.ts';
import { channels, type Bus } from '../platform/redis/bus.ts';
import { parseCallOutcome } from './callOutcome.ts';
import type { AppConnection, AppLink, CallOptions, CallOutcome } from './link.ts';
import { attachLocalSockets, LocalSockets, type RelayOutcome } from './localConnections.ts';
import { observeCall } from './metrics.ts';
import { linkLimits, rpcCodes, type ServiceCalls, type ServiceMethod } from './protocol.ts';
import { RemoteCalls } from './remoteCalls.ts';
import { Routing } from './routing.ts';

interface AppLinkDeps {
  readonly db: Db;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly config: Config;
  readonly log: Log;
}

/** Connections that are tried for one call while nothing was sent yet. */
const attemptsMax = 4;
/** Bytes of params: a frame less what stands around them. */
const paramsMax = linkLimits.frameBytes - 1024;

/** Methods that act: a call goes to one connection only, and the caller decides about a retry. */
const effectMethods = new Set<ServiceMethod>(['action.run', 'reply.send']);

const toCallOutcome = (relayed: RelayOutcome): CallOutcome<unknown> =>
  relayed.kind === 'frame' ? parseCallOutcome(relayed.message) : relayed;

/** Parses a hint of `emitPresence` (presence.ts). */
const parsePresenceHint = (text: string): { env: number; online: boolean; changed: boolean } =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `emitPresence` publishes on this channel
  JSON.parse(text) as { env: number; online: boolean; changed: boolean };

/** Opens the app link of this process. The caller closes it. */
export const openAppLink = ({ db, bus, config }: AppLinkDeps): AppLink => {
  const sockets = new LocalSockets(newHolderName(config.processName));
  const remote = new RemoteCalls({ bus, sockets });
  const routing = new Routing({
    db,
    sockets,
    isSuspect: (process) => remote.isSuspect(process),
    reaches: () => bus.connected,
  });
  const listeners = new Set<(env: number, online: boolean) => void>();
  const telling = new Map<number, () => void>();

  sockets.onReplaced = (process, connection) => {
    if (process === sockets.process)
      sockets
        .all()
        .find((held) => held.connection.id === connection)
        ?.replaced();
    else remote.replaced(process, connection);
  };
  sockets.onFirstSocket = (env) => {
    telling.set(
      env,
      bus.subscribe(channels.appTold(env), (text) => {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `notify` below publishes on this channel
        const { from, method, params } = JSON.parse(text) as { from: string; method: 'flags.changed'; params: string };
        if (from !== sockets.process) for (const held of sockets.of(env)) held.sendNotification(method, params);
      }),
    );
  };
  sockets.onLastSocket = (env) => {
    telling.get(env)?.();
    telling.delete(env);
  };
  const unsubscribe = bus.subscribe(channels.app, (text) => {
    const { env, online, changed } = parsePresenceHint(text);
    routing.connections.invalidate(env);
    if (changed) for (const listener of listeners) listener(env, online);
  });

  const callAt = async (
    connection: AppConnection,
    method: ServiceMethod,
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

  /** Calls, and retries on another connection when nothing was sent, and once for reads when the answer was lost. */
  const attempt = async (
    env: number,
    method: ServiceMethod,
    params: string,
    { declares, timeoutMs }: CallOptions,
  ): Promise<CallOutcome<unknown>> => {
    const until = performance.now() + timeoutMs;
    const tried = new Set<string>();
    let lost = false;
    for (let tries = 0; tries < attemptsMax; tries++) {
      const connection = await routing.choose(env, declares, tried);
      const left = until - performance.now();
      if (connection === null || left <= 0) break;
      const relayed = await callAt(connection, method, params, left);
      if (relayed.kind === 'offline') routing.connections.invalidate(env);
      else if (relayed.kind !== 'lost' || lost || effectMethods.has(method)) return toCallOutcome(relayed);
      lost ||= relayed.kind === 'lost';
      tried.add(connection.id);
    }
    return { kind: lost ? 'lost' : 'offline' };
  };

  const call: AppLink['call'] = async <M extends ServiceMethod>(
    env: number,
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
        : await attempt(env, method, text, options);
    observeCall(method, outcome.kind, performance.now() - began);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the callers of each method check its result
    return outcome as CallOutcome<ServiceCalls[M]['result']>;
  };

  return attachLocalSockets(
    {
      online: async (env, declares) => (await routing.choose(env, declares)) !== null,
      chooseConnection: (env, declares) => routing.choose(env, declares),
      call,
      dispatchRun: (connection, env, run) => {
        const held = sockets.get(connection.id);
        if (held !== undefined) sockets.dispatchRun(held, env, run);
        else if (connection.process !== sockets.process) remote.dispatchRun(connection, env, run);
      },
      notify: (env, method, params) => {
        const text = JSON.stringify(params);
        for (const held of sockets.of(env)) held.sendNotification(method, text);
        bus.publish(channels.appTold(env), JSON.stringify({ from: sockets.process, method, params: text }));
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
