/** A sign-in under way: what its browser keeps of it in a cookie, sealed, until the provider has answered. For signInByProvider.ts. */
import type { Directory } from '../directory.ts';
import type { Demand, Secrets } from './provider.ts';

export interface Flow extends Secrets {
  /** As the path names it; it need not exist. */
  readonly environment: string;
  /** The path of the page that is shown afterwards. */
  readonly returnTo: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** The credential of the session that is to become fresh; null: a new one is opened. */
  readonly session: string | null;
  readonly demand: Demand;
}

/** For so long a person may take to sign in at the provider, in ms. */
export const flowMs = 10 * 60_000;

const purpose = 'sign-in by the provider';

/** The seal of the oldest environment, as the one of the path need not exist; undefined: there is none yet. */
const sealOf = (directory: Pick<Directory, 'environments'>) => directory.environments()[0]?.seal;

/** Returns the text for the cookie; null where there is no environment to sign in to. */
export const sealFlow = (directory: Pick<Directory, 'environments'>, flow: Flow): string | null => {
  const { state, nonce, verifier, environment, returnTo, startedAt, session, demand } = flow;
  const keys = [state, nonce, verifier, environment, returnTo, startedAt, session, demand] as const;
  return sealOf(directory)?.cursor(purpose, keys) ?? null;
};

/** Returns the flow of a cookie; null when it is none of ours, or has taken too long. */
export const openFlow = (directory: Pick<Directory, 'environments'>, text: string | null, at: number): Flow | null => {
  if (text === null) return null;
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the seal shows that `sealFlow` wrote them
    const keys = (sealOf(directory)?.openCursor(purpose, text) ?? null) as
      | [string, string, string, string, string, number, string | null, Demand]
      | null;
    if (keys === null) return null;
    const [state, nonce, verifier, environment, returnTo, startedAt, session, demand] = keys;
    const flow = { state, nonce, verifier, environment, returnTo, startedAt, session, demand };
    return startedAt + flowMs > at ? flow : null;
  } catch {
    return null;
  }
};
