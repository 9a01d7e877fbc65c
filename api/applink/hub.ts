/** All sockets of apps in this process: checks each once a second, keeps their presence in PostgreSQL, and drains them. */
import { connectionGauge } from '../../shared/app/link/metrics.ts';
import { deleteConnections, reinsertConnection, renewConnections } from '../../shared/app/link/presence.ts';
import { linkCloseCodes } from '../../shared/app/link/protocol.ts';
import { sleep } from '../../shared/platform/time/clock.ts';
import { takeReply } from '../../shared/replies/replyRequest.ts';
import { dispatchRun } from '../../shared/runs/call/dispatchRun.ts';
import type { AppContext } from './context.ts';
import { createCredentialCheck } from './credentialCheck.ts';
import { createFrameHandler } from './requests.ts';
import { AppSession, type OpenedSocket } from './session.ts';

const checkIntervalMs = 1_000;
const idlePollMs = 20;

export interface AppHub {
  open(opened: OpenedSocket): void;
  /** Ends in at most half of `drainMs` and `graceMs`: calls under way may end, then every socket is closed with 1012. */
  stop(): Promise<void>;
}

export const createAppHub = (context: AppContext): AppHub => {
  const { deps, sockets, times } = context;
  const { directory, log } = deps;
  const sessions = new Set<AppSession>();
  const review = createCredentialCheck(deps, sessions);
  const frameHandler = createFrameHandler(context, (replaced) => {
    for (const { id, process } of replaced) sockets.onReplaced(process, id);
  });
  let renewing: Promise<void> | null = null;
  let renewedAt = performance.now();
  let pingedAt = 0;
  let pulsedAt = performance.now();
  const gone: string[] = [];
  let leaving: Promise<void> | null = null;

  sockets.dispatchRun = (held, env, hint) => {
    const environment = directory.environmentById(env);
    if (environment === undefined) return;
    dispatchRun(deps, environment, hint, held).catch((error: unknown) => {
      log.error({ err: error, run: hint.run }, 'a run could not be handed over; it will be again');
    });
  };

  sockets.sendReply = async (connection, envId, job, timeoutMs) => {
    const local = sockets.getForWork(connection);
    if (local === undefined) return { kind: 'offline' };
    try {
      const params = await takeReply(deps.db, envId, job, connection);
      if (params === null) return { kind: 'offline' };
      return await local.relay('reply.send', JSON.stringify(params), timeoutMs);
    } catch (error) {
      log.warn({ err: error, job: job.id }, 'a reply could not be read; its worker finds out whether it was taken');
      return { kind: 'lost' };
    }
  };

  /** Inserts the row of a socket again that a sweep has deleted; closes the socket when a later one of its instance has replaced the row. */
  const missing = async (session: AppSession): Promise<void> => {
    if (session.arrival === null || !sockets.has(session) || (await reinsertConnection(deps, session.arrival))) return;
    session.replaced();
  };
  const renewAll = async (): Promise<void> => {
    const held = [...sessions].filter((session) => sockets.has(session));
    try {
      const there =
        held.length === 0
          ? new Set()
          : await renewConnections(
              deps.db,
              held.map(({ connection: { id }, busy }) => ({ id, busy })),
            );
      for (const session of held) if (!there.has(session.connection.id)) await missing(session);
      renewedAt = performance.now();
    } catch (error) {
      log.debug({ err: error }, 'the presence of apps could not be renewed; it will be in a second');
    }
  };
  const pulse = (): void => {
    const now = performance.now();
    // After this process was blocked, data that apps sent meanwhile is still unread.
    const stoodStill = now - pulsedAt > times.heartbeatMs;
    pulsedAt = now;
    const pings = now - pingedAt >= times.heartbeatMs;
    if (pings) pingedAt = now;
    for (const session of sessions) {
      session.noteActivity(now, stoodStill);
      if (now - session.activeAt > times.goneMs || session.overfull) session.ws.terminate();
      else if (pings && session.open) session.ws.ping();
    }
    review.tick();
    if (renewing === null && !sockets.draining && now - renewedAt >= times.heartbeatMs - checkIntervalMs / 2) {
      renewing = renewAll().finally(() => {
        renewing = null;
      });
    }
  };
  const timer = setInterval(pulse, Math.min(checkIntervalMs, times.heartbeatMs));

  /** Runs one statement after another, each for all sockets that have closed meanwhile, so that of two that close at once one is the last of its environment. */
  const leaveAll = async (): Promise<void> => {
    while (gone.length > 0) {
      await renewing;
      await deleteConnections(deps, gone.splice(0)).catch((error: unknown) => {
        log.debug({ err: error }, 'the row of an app that has gone could not be removed; the sweep will do it');
      });
    }
  };
  const forget = (session: AppSession): void => {
    sessions.delete(session);
    connectionGauge.dec();
    const was = sockets.has(session);
    sockets.remove(session);
    session.onClose();
    if (!was || sockets.draining) return;
    gone.push(session.connection.id);
    leaving ??= leaveAll().finally(() => {
      leaving = null;
    });
  };

  const open = (opened: OpenedSocket): void => {
    const { ws } = opened;
    ws.on('error', () => undefined);
    const session = new AppSession(context, opened, frameHandler);
    const late = setInterval(() => {
      // A registration whose manifest is being checked has come.
      if (session.arrival === null && !session.registering)
        session.end(linkCloseCodes.notRegistered, 'app.register did not come');
    }, times.registerMs);
    sessions.add(session);
    connectionGauge.inc();
    ws.on('message', (data, isBinary) => {
      session.receive(data, isBinary);
    });
    ws.on('close', () => {
      clearInterval(late);
      forget(session);
    });
    // A change of the key between the request and now was announced before this session existed.
    review.checkOne(opened.who.credential);
  };

  const idle = async (): Promise<void> => {
    const until = performance.now() + deps.config.drainMs / 2;
    const working = (): boolean => [...sessions].some((session) => session.busy > 0 || session.intake.working);
    while (working() && performance.now() < until) await sleep(idlePollMs);
  };
  const leavesAll = async (): Promise<void> => {
    await renewing;
    await leaving;
    await leaveAll();
  };
  const stop = async (): Promise<void> => {
    sockets.draining = true;
    gone.push(...[...sessions].filter((session) => sockets.has(session)).map(({ connection }) => connection.id));
    await Promise.race([leavesAll(), sleep(deps.config.drainMs / 4)]);
    await idle();
    for (const session of sessions) session.end(linkCloseCodes.restarting, 'the server restarts');
    const late = setTimeout(() => {
      for (const session of sessions) session.ws.terminate();
    }, times.graceMs);
    while (sessions.size > 0) await sleep(idlePollMs);
    clearTimeout(late);
    clearInterval(timer);
    review.stop();
  };
  return { open, stop };
};
