/** The connection to the service: connects, registers, watches the heartbeat and reconnects. connect.ts makes one. */
import { WebSocket } from 'ws';
import { linkCloseCodes, linkLimits, subprotocol, type AppCalls } from '../app/link/protocol.ts';
import { backoff, type Timing } from './backoff.ts';
import { callSubject } from './callSubject.ts';
import { linkAddress, parseRefusal, unreachable } from './connectionRefusal.ts';
import { formatProblem } from './formatProblem.ts';
import { Peer, type PeerOptions } from './peer.ts';
import { LinkProblem, rpcErrorDetails, RpcFailed, unsendableAnswer } from './problems.ts';
import { errorText } from './texts.ts';

type Registered = AppCalls['app.register']['result'];

interface LinkOptions {
  readonly url: string;
  readonly key: string;
  readonly timing: Timing;
  readonly registration: AppCalls['app.register']['params'];
  /** What one process at a time may use, such as `the folder ./answers`. */
  readonly exclusive: string;
  readonly serve: PeerOptions['serve'];
  readonly onNotification: PeerOptions['onNotification'];
  readonly onUp: (peer: Peer, registered: Registered) => void;
  readonly onDown: () => void;
  readonly onProblem: (problem: LinkProblem) => void;
}

export interface Link {
  /** Ends the connection for good, after `closeTimeoutMs` at the latest. Never rejects. */
  close(): Promise<void>;
}

/** How long the handshake, and then the registration, may take. */
const registerTimeoutMs = 15_000;
/** After a connection that lived this long, the backoff starts from its shortest wait. */
const stableMs = 5_000;
/** How long `close` waits for the service to close the socket. */
const closeTimeoutMs = 2_000;

/** Connects, and keeps connecting until `close`. Never throws; every problem goes to `onProblem`. */
export const openLink = (parts: LinkOptions): Link => {
  const { timing, onProblem } = parts;
  let tries = 0;
  let closed = false;
  let socket: WebSocket | null = null;
  let timer: NodeJS.Timeout | undefined;

  const reconnectAfter = (waitMs: number): void => {
    if (closed) return;
    clearTimeout(timer);
    timer = setTimeout(dial, waitMs);
  };
  const retry = (): void => {
    reconnectAfter(backoff(tries, timing));
    tries += 1;
  };
  const refused = (found: LinkProblem, waitMs: number = timing.refusedMs): void => {
    onProblem(found);
    reconnectAfter(waitMs);
  };

  /** Resolves with the registration, or with what to do instead. Never rejects. */
  const register = async (peer: Peer): Promise<{ readonly registered: Registered } | { readonly next: () => void }> => {
    try {
      return { registered: await peer.request('app.register', parts.registration, registerTimeoutMs) };
    } catch (error) {
      const known = error instanceof RpcFailed ? error.error : null;
      if (known === null || known.data?.code === 'unavailable') return { next: retry };
      const details = rpcErrorDetails(known);
      return {
        next: () => {
          refused(
            new LinkProblem('refused', formatProblem(`The service refuses the app: ${known.message}`, details), {
              details,
            }),
          );
        },
      };
    }
  };

  /** Reconnects after the end of an open socket, by its close code. */
  const afterClose = (code: number, reason: string): void => {
    if (code === linkCloseCodes.restarting) reconnectAfter(Math.random() * timing.restartMs);
    else if (code === linkCloseCodes.revoked) refused(new LinkProblem('unauthorized', 'The app’s key was revoked.'));
    else if (code === linkCloseCodes.replaced)
      refused(
        new LinkProblem(
          'connection',
          `Another connection of the same instance, ${parts.registration.instance}, has taken the place of this one: only one process at a time may use ${parts.exclusive}. The next try is in ${String(Math.round(timing.refusedMs / 1_000))} s.`,
        ),
      );
    else {
      if (code !== 1001)
        onProblem(
          new LinkProblem('connection', `The connection ended (${String(code)}${reason === '' ? '' : `: ${reason}`}).`),
        );
      retry();
    }
  };

  /** Runs one open socket until its end. Calls `finish` with what to do then. */
  const open = (ws: WebSocket, finish: (next: () => void) => void): void => {
    const openedAt = Date.now();
    let receivedAt = openedAt;
    let isUp = false;
    const onReceived = (): void => {
      receivedAt = Date.now();
    };
    const peer = new Peer({
      serve: parts.serve,
      onNotification: parts.onNotification,
      onUnsendable: (method, params, found) => {
        onProblem(unsendableAnswer(callSubject(method, params), found));
      },
      send: (frame) => {
        if (ws.readyState === WebSocket.OPEN) ws.send(frame);
      },
    });
    const heartbeat = setInterval(() => {
      if (Date.now() - receivedAt > timing.goneMs) ws.terminate();
      else if (ws.readyState === WebSocket.OPEN) ws.ping();
    }, timing.heartbeatMs);
    ws.on('ping', onReceived);
    ws.on('pong', onReceived);
    ws.on('message', (data, isBinary) => {
      onReceived();
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `ws` gives one Buffer unless `binaryType` is changed
      if (!isBinary) peer.receive((data as Buffer).toString());
    });
    ws.on('close', (code, reason) => {
      clearInterval(heartbeat);
      peer.end();
      if (isUp) parts.onDown();
      if (isUp && Date.now() - openedAt > stableMs) tries = 0;
      finish(() => {
        afterClose(code, reason.toString());
      });
    });
    void register(peer).then((outcome) => {
      if ('next' in outcome) {
        finish(outcome.next);
        ws.close(1000);
      } else if (!peer.ended) {
        isUp = true;
        parts.onUp(peer, outcome.registered);
      }
    });
  };

  const dial = (): void => {
    if (closed) return;
    let ws: WebSocket;
    try {
      ws = new WebSocket(linkAddress(parts.url), subprotocol, {
        headers: { authorization: `Bearer ${parts.key}` },
        maxPayload: linkLimits.frameBytes,
        handshakeTimeout: registerTimeoutMs,
        perMessageDeflate: false,
      });
    } catch (error) {
      return refused(
        new LinkProblem(
          'unauthorized',
          parts.url === ''
            ? 'The address of the service is empty: is BASE_URL missing?'
            : `The address ${JSON.stringify(parts.url)} or the key can’t be used: ${errorText(error)}`,
        ),
      );
    }
    socket = ws;
    let finished = false;
    let opened = false;
    const finish = (next: () => void): void => {
      if (finished) return;
      finished = true;
      if (!closed) next();
    };
    ws.on('error', (error) => {
      // An open socket also emits `close`, which handles its end.
      if (!opened)
        finish(() => {
          onProblem(unreachable(error));
          retry();
        });
    });
    ws.on('unexpected-response', (request, response) => {
      void parseRefusal(response, parts.url).then(({ problem, waitMs, needsPerson }) => {
        finish(() => {
          if (needsPerson) refused(problem);
          else {
            onProblem(problem);
            if (waitMs === null) retry();
            else reconnectAfter(waitMs);
          }
        });
        request.destroy();
      });
    });
    ws.on('open', () => {
      opened = true;
      open(ws, finish);
    });
  };

  dial();
  return {
    close: async () => {
      closed = true;
      clearTimeout(timer);
      const ws = socket;
      if (ws === null || ws.readyState === WebSocket.CLOSED) return;
      await new Promise<void>((resolve) => {
        const late = setTimeout(() => {
          ws.terminate();
          resolve();
        }, closeTimeoutMs);
        ws.once('close', () => {
          clearTimeout(late);
          resolve();
        });
        ws.close(1000);
      });
    },
  };
};
