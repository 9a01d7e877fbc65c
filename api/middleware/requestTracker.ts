/** The requests under way: counted for the drain of server.ts and measured for Prometheus. The first step of api/app.ts. */
import type { ServerResponse } from 'node:http';
import type { Middleware } from 'koa';
import type { HttpMetrics } from '../http/metrics.ts';
import type { RequestState } from './state.ts';

export interface RequestTracker {
  /** Returns whether the server drains: from then on responses close their connections. */
  readonly isStopping: () => boolean;
  readonly middleware: Middleware<RequestState>;
  /** Returns a signal that is aborted when the client disconnects or the server drains. */
  signalOf(response: ServerResponse): AbortSignal;
  /** Begins the drain; resolves when no request is under way. */
  idle(): Promise<void>;
}

export const createRequestTracker = (metrics: HttpMetrics): RequestTracker => {
  const stopping = new AbortController();
  let underWay = 0;
  let whenIdle: (() => void)[] = [];

  return {
    isStopping: () => stopping.signal.aborted,
    middleware: async (ctx, next) => {
      const startedAt = performance.now();
      underWay += 1;
      try {
        await next();
      } finally {
        underWay -= 1;
        if (underWay === 0) for (const resolve of whenIdle.splice(0)) resolve();
        const { route, response } = ctx.state;
        metrics.observe(ctx.method, route, response, performance.now() - startedAt);
      }
    },
    signalOf: (response) => {
      const call = new AbortController();
      const abort = (): void => {
        call.abort();
      };
      if (stopping.signal.aborted || response.destroyed) {
        abort();
        return call.signal;
      }
      stopping.signal.addEventListener('abort', abort);
      response.once('close', () => {
        stopping.signal.removeEventListener('abort', abort);
        abort();
      });
      return call.signal;
    },
    idle: () => {
      stopping.abort();
      return underWay === 0 ? Promise.resolve() : new Promise((resolve) => (whenIdle = [...whenIdle, resolve]));
    },
  };
};
