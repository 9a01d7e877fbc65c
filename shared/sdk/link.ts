/** Holds the connection to the service: dials, registers, watches the heartbeat, dials again. connect.ts makes one. */
import { WebSocket } from 'ws';
import { linkCloseCodes, linkLimits, subprotocol, type AppCalls } from '../applink/protocol.ts';
import { backoff, type Timing } from './backoff.ts';
import { Peer, type PeerOptions } from './peer.ts';
import { rpcErrorDetails, formatProblem, LinkProblem, RpcFailed, errorText } from './problems.ts';
import { parseRefusal } from './connectionRefusal.ts';

type Registered = AppCalls['app.register']['result'];

interface LinkOptions {
  readonly url: string;
  readonly key: string;
  readonly timing: Timing;
  readonly registration: AppCalls['app.register']['params'];
  readonly serve: PeerOptions['serve'];
  readonly onNotification: PeerOptions['onNotification'];
  readonly onUp: (peer: Peer, registered: Registered) => void;
  readonly onDown: () => void;
  readonly onProblem: (problem: LinkProblem) => void;
}

interface Link {
  /** Ends it for good. */
  close(): Promise<void>;
}

const registerMs = 15_000;
/** A connection that lived this long was a good one, and the next failure is a new matter. */
const stableMs = 5_000;
const closeMs = 2_000;

/** Throws when `url` is none. */
const linkAddress = (url: string): URL => {
  const address = new URL(`${url.replace(/\/+$/, '')}/app`);
  address.protocol = address.protocol.replace(/^http/, 'ws');
  return address;
};

export const openLink = (parts: LinkOptions): Link => {
  const { timing, onProblem: problem } = parts;
  let tries = 0;
  let closed = false;
  let socket: WebSocket | null = null;
  let timer: NodeJS.Timeout | undefined;

  const again = (waitMs: number): void => {
    if (closed) return;
    clearTimeout(timer);
    timer = setTimeout(dial, waitMs);
  };
  const soon = (): void => {
    again(backoff(tries, timing));
    tries += 1;
  };
  const refused = (found: LinkProblem, waitMs: number = timing.refusedMs): void => {
    problem(found);
    again(waitMs);
  };

  /** Resolves with the registration, or with what follows instead. */
  const register = async (peer: Peer): Promise<{ readonly registered: Registered } | { readonly next: () => void }> => {
    try {
      return { registered: await peer.request('app.register', parts.registration, registerMs) };
    } catch (error) {
      const known = error instanceof RpcFailed ? error.error : null;
      if (known === null || known.data?.code === 'unavailable') return { next: soon };
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

  /** What follows the end of an open socket, by its close code. */
  const afterClose = (code: number, reason: string): void => {
    if (code === linkCloseCodes.restarting) again(Math.random() * timing.restartMs);
    else if (code === linkCloseCodes.revoked) refused(new LinkProblem('unauthorized', 'The app’s key was revoked.'));
    else {
      if (code !== 1000 && code !== 1001)
        problem(
          new LinkProblem('connection', `The connection ended (${String(code)}${reason === '' ? '' : `: ${reason}`}).`),
        );
      soon();
    }
  };

  /** Everything of one open socket. `finish` is called once with what follows. */
  const open = (ws: WebSocket, finish: (next: () => void) => void): void => {
    const openedAt = Date.now();
    let heardAt = openedAt;
    let isUp = false;
    const heard = (): void => {
      heardAt = Date.now();
    };
    const peer = new Peer({
      serve: parts.serve,
      onNotification: parts.onNotification,
      send: (frame) => {
        if (ws.readyState === WebSocket.OPEN) ws.send(frame);
      },
    });
    const beat = setInterval(() => {
      if (Date.now() - heardAt > timing.goneMs) ws.terminate();
      else if (ws.readyState === WebSocket.OPEN) ws.ping();
    }, timing.heartbeatMs);
    ws.on('ping', heard);
    ws.on('pong', heard);
    ws.on('message', (data, isBinary) => {
      heard();
      if (!isBinary) peer.receive((data as Buffer).toString());
    });
    ws.on('close', (code, reason) => {
      clearInterval(beat);
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
        handshakeTimeout: registerMs,
        perMessageDeflate: false,
      });
    } catch (error) {
      return refused(
        new LinkProblem(
          'unauthorized',
          `The address ${JSON.stringify(parts.url)} or the key can’t be used: ${errorText(error)}`,
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
      // An open socket also closes, and that is where its end is dealt with.
      if (!opened)
        finish(() => {
          problem(new LinkProblem('connection', `The service can’t be reached: ${errorText(error)}`, { cause: error }));
          soon();
        });
    });
    ws.on('unexpected-response', (request, response) => {
      void parseRefusal(response).then(({ problem: found, waitMs, needsPerson: people }) => {
        finish(() => {
          if (people) refused(found);
          else {
            problem(found);
            if (waitMs === null) soon();
            else again(waitMs);
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
        }, closeMs);
        ws.once('close', () => {
          clearTimeout(late);
          resolve();
        });
        ws.close(1000);
      });
    },
  };
};
