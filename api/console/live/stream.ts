/**
 * The live stream of one environment: holds the chain of messages, heals a hole by asking for what came after the last
 * message, and knows up to when it is complete. Opened by shell/session.ts.
 */
import { useSyncExternalStore } from 'react';
import type { Http } from '../wire/http.ts';
import { createListeners } from '../wire/listeners.ts';
import type { LiveMessage } from '../wire/types.ts';

interface StreamState {
  /** complete: every message up to `completeAt` has been heard. */
  readonly status: 'connecting' | 'complete' | 'broken';
  readonly completeAt: number | null;
  /** Whether the browser, or a request, found no network since the last message. */
  readonly isOffline: boolean;
  /** null: not known yet. */
  readonly appOnline: boolean | null;
  /** Since when the app is offline; null: it is online, or went before the stream began. */
  readonly offlineSince: number | null;
  /** How often the chain had a hole that was healed. */
  readonly holes: number;
}

export interface Stream {
  state(): StreamState;
  subscribe(listener: () => void): () => void;
  /** Takes over that a request found no way to the server. */
  lose(): void;
  /** The position where this stream began; null before the first message. */
  start(): string | null;
  close(): void;
}

interface StreamOptions {
  readonly url: string;
  readonly onMessage: (message: LiveMessage) => void;
  /** Everything has to be read anew. */
  readonly onReset: () => void;
  /** The connection could not be opened, or was closed; the session may be over. */
  readonly onLost: () => void;
}

/** How often the server is asked for a sign of life, which proves that nothing was missed up to then. */
const pingMs = 5_000;
/** A connection from which nothing was heard for so long counts as broken. */
const silentMs = 15_000;
const retryMs = [250, 500, 1_000, 2_000, 5_000, 10_000];
/** After so many tries the place is forgotten and everything is read anew. */
const triesWithPlace = 8;

const appState = (appOnline: boolean, at: number | null): Pick<StreamState, 'appOnline' | 'offlineSince'> => ({
  appOnline,
  offlineSince: appOnline ? null : at,
});

/** Returns the address of an environment's stream. */
export const liveUrl = ({ base }: Http): string => new URL(`${base}/live`, location.href).href.replace(/^http/, 'ws');

export const openStream = ({ url, onMessage, onReset, onLost }: StreamOptions): Stream => {
  let state: StreamState = {
    status: 'connecting',
    completeAt: null,
    isOffline: false,
    appOnline: null,
    offlineSince: null,
    holes: 0,
  };
  const listeners = createListeners();
  let socket: WebSocket | null = null;
  let last: string | null = null;
  let start: string | null = null;
  let tries = 0;
  let heardAt = 0;
  let timer = 0;
  let isClosed = false;
  let isAnew = false;
  /** Whether a request found no way to the server since the last message. */
  let unreached = false;
  const set = (part: Partial<StreamState>): void => {
    state = { ...state, ...part };
    listeners.tell();
  };
  const retry = (): void => {
    if (isClosed) return;
    set({ status: 'broken', isOffline: unreached || !navigator.onLine });
    onLost();
    window.clearTimeout(timer);
    const wait = retryMs[Math.min(tries, retryMs.length - 1)] ?? 1_000;
    tries += 1;
    if (tries > triesWithPlace && last !== null) {
      last = null;
      isAnew = true;
    }
    timer = window.setTimeout(connect, wait * (0.75 + Math.random() / 2));
  };
  const drop = (): void => {
    const old = socket;
    socket = null;
    old?.close();
  };
  const receive = (message: LiveMessage): void => {
    heardAt = Date.now();
    unreached = false;
    if (message.type === 'hello') {
      last = message.offset;
      start ??= message.offset;
      tries = 0;
      if (isAnew) onReset();
      isAnew = false;
    } else if (message.type === 'reset') {
      last = message.offset;
      onReset();
    } else if (message.prev !== last) {
      set({ holes: state.holes + 1 });
      drop();
      retry();
      return;
    } else last = message.offset;
    onMessage(message);
    set({
      status: 'complete',
      isOffline: false,
      completeAt:
        message.type === 'hello' || message.type === 'pong' ? message.at : Math.max(state.completeAt ?? 0, message.at),
      ...(message.type === 'app' ? appState(message.online, message.at) : {}),
      ...(message.type === 'hello' && message.app.online !== state.appOnline ? appState(message.app.online, null) : {}),
    });
  };
  const connect = (): void => {
    if (isClosed) return;
    const address = new URL(url);
    if (last !== null) address.searchParams.set('after', last);
    const opened = new WebSocket(address, ['console.v1']);
    socket = opened;
    heardAt = Date.now();
    opened.addEventListener('message', ({ data }) => {
      if (socket !== opened || typeof data !== 'string') return;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API's own messages
      receive(JSON.parse(data) as LiveMessage);
    });
    opened.addEventListener('open', () => {
      opened.send('{"type":"ping"}');
    });
    opened.addEventListener('close', () => {
      if (socket !== opened) return;
      socket = null;
      retry();
    });
  };
  const lose = (): void => {
    if (isClosed || unreached) return;
    unreached = true;
    // What is heard from now on comes by another connection.
    drop();
    retry();
  };
  const beat = window.setInterval(() => {
    if (socket?.readyState !== WebSocket.OPEN) return;
    if (Date.now() - heardAt > silentMs) {
      drop();
      retry();
    } else socket.send('{"type":"ping"}');
  }, pingMs);
  const hurry = (): void => {
    unreached = false;
    if (socket !== null || isClosed) return;
    window.clearTimeout(timer);
    connect();
  };
  window.addEventListener('online', hurry);
  window.addEventListener('offline', lose);
  connect();

  return {
    state: () => state,
    subscribe: listeners.subscribe,
    lose,
    start: () => start,
    close: () => {
      isClosed = true;
      window.clearTimeout(timer);
      window.clearInterval(beat);
      window.removeEventListener('online', hurry);
      window.removeEventListener('offline', lose);
      drop();
    },
  };
};

/** Returns the state of a stream as it is now. */
export const useStreamState = (stream: Stream): StreamState => useSyncExternalStore(stream.subscribe, stream.state);
