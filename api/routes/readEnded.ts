/** Waits for the end of a run, a bulk or an approval: `wait` of `GET /runs/:id`, `/bulk/:id` and `/approvals/:id`. Used by their routes. */
import type { Caller } from '../../shared/accounts/access/principal.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { strictObject, Type, type Static } from '../../shared/platform/json/schema.ts';
import type { EndpointCall } from '../endpoint.ts';
import { resolveCaller } from '../http/credentials.ts';
import type { StreamPart } from '../live/visibility.ts';

export const waitQuery = strictObject({
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: limits.changesWaitMs,
      default: 0,
      description: 'Waits until it has ended, at most so many ms (30,000).',
    }),
  ),
});
type WaitQuery = Static<typeof waitQuery>;

interface Awaited<T> {
  /** Returns whether a part of the stream is about it. */
  readonly isAbout: (part: StreamPart) => boolean;
  /** Returns it as it is now. Throws `not_found` where the caller does not see it. */
  readonly read: (caller: Caller) => Promise<T>;
  readonly hasEnded: (found: T) => boolean;
}

/** Returns the caller with the rights of now. Throws `401 unauthorized` once the credential has ended. */
const currentCaller = async ({ deps, caller, session: { credential } }: EndpointCall): Promise<Caller> => {
  const session = await deps.directory.sessionByCredential(credential);
  if (session === null) throw fault('unauthorized');
  return { ...caller, ...resolveCaller(deps, session, caller.env.name, caller.requestId, caller.address) };
};

/**
 * Returns what `read` returns once that has ended, or when `wait` is over, the client has gone or the process stops, and the
 * caller who read it. It is read anew when the stream has a message about it, so that nothing is held in between.
 */
export const readEnded = async <T>(
  call: EndpointCall<WaitQuery>,
  { isAbout, read, hasEnded }: Awaited<T>,
): Promise<{ readonly found: T; readonly caller: Caller }> => {
  const { session, live } = call;
  const { wait = 0 } = call.query;
  let { caller } = call;
  if (wait === 0) return { found: await read(caller), caller };
  const until = performance.now() + wait;
  const signal = call.signal();
  const filter = { since: null, types: null, isAbout, isBy: null };
  let { cursor: after } = await live.changes({ caller, session }, { query: {} }, signal);
  for (let isLast = false; ;) {
    const found = await read(caller);
    const left = Math.floor(until - performance.now());
    if (isLast || left <= 0 || hasEnded(found)) return { found, caller };
    const query = { after, wait: left, limit: 1 };
    const page = await live.changes({ caller, session }, { query, filter }, signal);
    after = page.cursor;
    // It ended without a message: by its time, or as the process stops.
    isLast = page.changes.length === 0 && page.reset === null && !page.more;
    caller = await currentCaller(call);
  }
};
