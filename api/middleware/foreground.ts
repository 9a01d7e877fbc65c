/** Signals foreground work to the workers: changes by people and agents. A step of api/app.ts and api/mcp/serveEndpoint.ts. */
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
 * Publishes a signal for a change by a person or an agent, at most one each `signalMs`. A bulk emits none: small bulks have a queue of
 * their own, and a large one need not slow others down.
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
