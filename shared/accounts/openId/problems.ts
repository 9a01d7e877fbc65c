/** Why a sign-in by the provider ends without a session. The page is told the word, and has a sentence for each; nothing of what the provider or a stranger wrote. */
import { Fault } from '../../catalogue/errors.ts';

export type SignInProblem =
  /** The provider doesn't answer, or with an outage of its own. */
  | 'provider_unavailable'
  /** The person, or the provider, said no. */
  | 'provider_refused'
  /** The answer fits no sign-in that this browser has begun in the last minutes. */
  | 'not_begun_here'
  /** The answer is not as the standard demands. */
  | 'invalid_answer'
  | 'email_unverified'
  | 'unknown_person'
  /** The address is one of a person whom the provider knows under another subject. */
  | 'other_identity'
  | 'removed'
  | 'no_group'
  | 'last_admin'
  | 'no_access'
  /** A role or an environment of OIDC_GROUPS does not exist. */
  | 'misconfigured'
  /** For a fresh sign-in somebody else signed in than whose session it is, or it has ended. */
  | 'other_person'
  /** The provider doesn't say that they signed in just now. */
  | 'not_fresh';

/** Returns what a log may have of an error: names and codes, no text that holds a token, a code or a stranger's words. */
const describe = (error: unknown): string | null => {
  if (error instanceof Fault)
    return [error.message, ...(error.extra.details ?? []).map(({ message }) => message)].join(' ');
  if (!(error instanceof Error)) return null;
  const parts: { readonly code?: unknown; readonly error?: unknown; readonly cause?: unknown } & Error = error;
  const words = [parts.name, parts.code, parts.error].filter((part) => typeof part === 'string' && /^\w+$/.test(part));
  const inner = describe(parts.cause);
  return [words.join(' '), ...(inner === null ? [] : [inner])].join(': ');
};

/** Ends a sign-in. */
export class SignInRefusal extends Error {
  readonly problem: SignInProblem;
  /** For the log; null: the problem says it all. */
  readonly why: string | null;
  constructor(problem: SignInProblem, cause?: unknown) {
    super(problem, cause === undefined ? {} : { cause });
    this.problem = problem;
    this.why = describe(cause);
  }
}
