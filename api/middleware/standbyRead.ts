/** Answers reads by a standby where their callers see there what they have seen and done. Used by idempotency.ts. */
import { Fault } from '../../shared/catalogue/errors.ts';
import type { EndpointCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { alternateLastPart } from '../live/offsets.ts';
import { standbyPaths } from './standbyPaths.ts';
import type { EndpointState } from './state.ts';
import { withNarrowing } from './tooBroad.ts';

/** Returns the owner of the share of the connections from which a call that reads takes one. */
export const ownerOf = ({ caller, session }: Pick<EndpointCall, 'caller' | 'session'>): string =>
  caller.principal.id ?? session.credential;

/** Notes who has changed something, whatever became of it: the primary answers their reads until standbys are that far. */
export const noteChange = ({ mounted: { endpoint }, call }: EndpointState): void => {
  if (endpoint.write && endpoint.audit !== null) call.deps.standbys?.changed(ownerOf(call));
};

/** Returns the position that the client has seen; null where it does not tell enough, as after a change of its own. */
const seenPosition = ({ place: { seen }, caller: { env } }: EndpointCall): number | null => {
  if (seen === null) return 0;
  const opened = env.seal.openOffset(seen);
  return opened === null || opened.epoch !== env.epoch || opened.part === alternateLastPart ? null : opened.position;
};

/** Returns whether a fault is of the request itself; what a standby says is not there may be there by now. */
const isOfRequest = (error: unknown): boolean =>
  error instanceof Fault && (error.code === 'too_broad' || error.code === 'rate_limited');

/**
 * Returns the answer of a standby; null: the primary has to give it. Whatever fails at a standby is done again there, refusals
 * included, so that a refusal is always the primary's.
 */
export const answerByStandby = async ({ mounted: { endpoint }, call }: EndpointState): Promise<ApiResponse | null> => {
  const { deps, caller, place } = call;
  if (deps.standbys === null || !standbyPaths.has(endpoint.path)) return null;
  const seen = seenPosition(call);
  const found = await deps.standbys.find({
    owner: ownerOf(call),
    afterChange: seen === null,
    env: caller.env.id,
    epoch: caller.env.epoch,
    position: Math.max(place.position, seen ?? 0),
    span: caller.span ?? null,
  });
  if (found === null) return null;
  try {
    call.deps = { ...deps, db: found.db };
    return await endpoint.handle(call);
  } catch (error) {
    if (isOfRequest(error)) throw withNarrowing(error, endpoint, call);
    if (!(error instanceof Fault)) found.failed();
    return null;
  } finally {
    call.deps = deps;
  }
};
