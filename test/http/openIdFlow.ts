/** A sign-in by OpenID Connect, step by step and as a whole, at a provider that is a real one. Used by the tests of these sign-ins. */
import { request } from '../support/http.ts';
import { newSimpleBrowser, startOpenIdProvider, type OpenIdProvider, type SimpleBrowser } from '../support/openId.ts';
import { newWorld, type World } from '../support/world.ts';

/** Each world has a provider of its own, as each has its own settings. */
export const newPair = async (
  env: Readonly<Record<string, string>> = {},
  clientAuth?: 'basic' | 'post',
): Promise<[World, OpenIdProvider]> => {
  const provider = await startOpenIdProvider(clientAuth);
  const world = await newWorld({ workers: false, env: { ...provider.env, TRUST_PROXY: '1', ...env } });
  await world.environment('staging');
  return [world, provider];
};

export const problemOf = (url: string | null): string | null => new URL(url ?? '').searchParams.get('signInProblem');

/** Begins a sign-in and goes as far as the provider's page to sign in on. */
export const begin = async (world: World, browser: SimpleBrowser, query = ''): Promise<string> =>
  (await browser.follow(`${world.base}/sign-in/oidc${query}`)).url;

/** Signs in at the provider's page and returns where its answer is to be sent. */
export const answerOf = async (
  world: World,
  browser: SimpleBrowser,
  page: string,
  account: string,
): Promise<string> => {
  const isAnswer = (url: string): boolean => url.startsWith(new URL(world.base).origin);
  const sent = await browser.post(page, { account });
  const { location } = await browser.follow(sent.location ?? '', isAnswer);
  return location ?? '';
};

/** Signs in wholly and returns where the browser ends. */
export const signIn = async (world: World, account: string, query = '', browser = newSimpleBrowser()) => {
  const answer = await answerOf(world, browser, await begin(world, browser, query), account);
  const { location } = await browser.get(answer);
  return { browser, location, problem: problemOf(location) };
};

export const me = async (world: World, browser: SimpleBrowser) =>
  request('GET', `${world.base}/me`, undefined, null, {
    headers: { cookie: `console_session=${browser.cookie('console_session') ?? ''}` },
  });

export const audited = (world: World, verb: string): Promise<Record<string, unknown>[]> =>
  world.sql(
    'select actor_type, actor, actor_name, target, outcome, before, after from events where verb = $1 order by id',
    [verb],
  );
