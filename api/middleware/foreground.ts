/** Tells workers that people or agents are at work. A step of api/app.ts and api/mcp/serveEndpoint.ts. */
import { createInterval } from '../../shared/platform/core/wait.ts';
import { channels, type Bus } from '../../shared/platform/redis/bus.ts';
import type { EndpointContext, Next } from './state.ts';

/** ms between two signals of a process. */
const signalMs = 200;

const intervals = new WeakMap<Bus, () => boolean>();

const isDue = (bus: Bus): boolean => {
  const known = intervals.get(bus) ?? createInterval(signalMs);
  intervals.set(bus, known);
  return known();
};

/**
 * Publishes that somebody other than an app changes something. Bulks don't count, as those that are waited for are small, and small
 * ones wait for no others.
 */
export const foreground = ({ state }: EndpointContext, next: Next): Promise<unknown> => {
  const {
    mounted: { endpoint },
    call: { caller, deps },
  } = state;
  const counts = endpoint.audit !== null && caller.principal.type !== 'app' && endpoint.path !== '/bulk';
  if (counts && isDue(deps.bus)) deps.bus.publish(channels.foreground, '');
  return next();
};
