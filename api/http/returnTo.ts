/** The pages that a sign-in by the provider comes back to: those of this service's own console. For routes/openIdSignIn.ts and middleware/pages.ts. */
import type { SignInProblem } from '../../shared/accounts/openId/problems.ts';

const basePath = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/$/, '');

/**
 * Returns the path, query and fragment of a page of the console; null for everything else: other hosts in whatever
 * spelling browsers take for one, and addresses of the API.
 */
export const toOwnPage = (publicUrl: string, given: string): string | null => {
  if (!given.startsWith('/') || !URL.canParse(given, publicUrl)) return null;
  const { origin, pathname, search, hash, username } = new URL(given, publicUrl);
  if (origin !== new URL(publicUrl).origin || username !== '') return null;
  const base = basePath(publicUrl);
  const isConsole = pathname === `${base}/` || pathname.startsWith(`${base}/env/`);
  return isConsole ? pathname + search + hash : null;
};

/** Returns the page of an environment that a sign-in comes back to when nothing else was asked for. */
export const homeOf = (publicUrl: string, environment: string): string =>
  `${basePath(publicUrl)}/env/${encodeURIComponent(environment)}`;

/** Returns the address of a page, which is told why a sign-in has failed; `page` null: the console's start. */
export const pageAddress = (publicUrl: string, page: string | null, problem: SignInProblem | null): string => {
  const address = new URL(page ?? `${basePath(publicUrl)}/`, publicUrl);
  if (problem !== null) address.searchParams.set('signInProblem', problem);
  return address.href;
};
