/** The OpenID Connect provider, as its discovery document describes it: where a sign-in begins, and what its answer says. For signInByProvider.ts. */
import type { Configuration } from 'openid-client';
import type { Config } from '../../platform/config/config.ts';
import type { OpenIdConfig } from '../../platform/config/openIdConfig.ts';
import { addressBlock } from '../../platform/http.ts';
import { createLimiter } from '../../platform/turns/limiter.ts';
import { strangersTurn, tooManySignIns } from '../passwords.ts';
import { readProviderClaims, type Identity } from './claims.ts';
import { SignInRefusal } from './problems.ts';

/** The secrets of one sign-in, kept by the browser that began it. */
export interface Secrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The demanded freshness: any session of the provider, a new sign-in by `max_age=0`, or one by `prompt=login` too. */
export type Demand = 'any' | 'new' | 'newByPrompt';

interface Provider {
  /** Returns the provider's page to sign in at. Throws a SignInRefusal. */
  begin(demand: Demand): Promise<{ readonly url: string; readonly secrets: Secrets }>;
  /** Returns who signed in, by the query of the provider's answer, which it takes once. Throws a SignInRefusal. */
  finish(search: string, secrets: Secrets, address: string | null): Promise<Identity>;
}

/** For each request to the provider, in seconds; people wait for it. */
const timeoutSeconds = 8;
/** Seconds by which the provider's clock may differ. */
const toleranceSeconds = 30;
/** For how long the discovery document is taken as it was, in ms; then it is read again. */
const discoveryMs = 3_600_000;

const load = () => import('openid-client');

/** Bounds the requests to the provider under way at once: anybody can cause one without signing in. */
const withAskingSlot = createLimiter({ concurrency: 8, waitingMax: 100, refusal: tooManySignIns });

const isOutage = (error: Error & { readonly code?: unknown; readonly cause?: unknown; readonly status?: unknown }) =>
  error instanceof TypeError ||
  error.code === 'OAUTH_TIMEOUT' ||
  (typeof error.status === 'number' && error.status >= 500) ||
  (error.code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' && error.cause instanceof Response && error.cause.status >= 500);

const toRefusal = (
  error: unknown,
  { AuthorizationResponseError, ResponseBodyError }: Awaited<ReturnType<typeof load>>,
) => {
  if (!(error instanceof Error)) return new SignInRefusal('invalid_answer', error);
  if (error instanceof AuthorizationResponseError) {
    const away = error.error === 'temporarily_unavailable' || error.error === 'server_error';
    return new SignInRefusal(away ? 'provider_unavailable' : 'provider_refused', error);
  }
  if (isOutage(error)) return new SignInRefusal('provider_unavailable', error);
  return new SignInRefusal(error instanceof ResponseBodyError ? 'provider_refused' : 'invalid_answer', error);
};

/** Returns the function that returns the provider's configuration, read at most once an hour; an outdated one serves while the provider is away. */
const createDiscovery = ({ issuer, clientId, clientSecret, clientAuth }: OpenIdConfig) => {
  let known: { readonly configuration: Configuration; readonly until: number } | null = null;
  let reading: Promise<Configuration> | null = null;
  const read = async (): Promise<Configuration> => {
    const client = await load();
    const auth = clientAuth === 'post' ? client.ClientSecretPost : client.ClientSecretBasic;
    const server = new URL(issuer);
    try {
      const configuration = await client.discovery(
        server,
        clientId,
        { [client.clockTolerance]: toleranceSeconds },
        auth(clientSecret),
        {
          timeout: timeoutSeconds,
          // Only of this machine itself: the variable's check refuses others.
          // oxlint-disable-next-line typescript/no-deprecated -- its warning is for providers elsewhere
          execute: server.protocol === 'http:' ? [client.allowInsecureRequests] : [],
        },
      );
      known = { configuration, until: performance.now() + discoveryMs };
      return configuration;
    } catch (error) {
      if (known !== null) return known.configuration;
      throw new SignInRefusal('provider_unavailable', error);
    }
  };
  return (): Promise<Configuration> => {
    if (known !== null && performance.now() < known.until) return Promise.resolve(known.configuration);
    return (reading ??= read().finally(() => {
      reading = null;
    }));
  };
};

const requireIdentity = (claims: Parameters<typeof readProviderClaims>[0], config: OpenIdConfig): Identity => {
  const identity = readProviderClaims(claims, config);
  if (identity === null) throw new SignInRefusal('invalid_answer');
  return identity;
};

/** `redirectUri`: where the provider sends its answer. Nothing is asked before the first sign-in. */
const createProvider = (config: OpenIdConfig, redirectUri: string): Provider => {
  const discover = createDiscovery(config);
  const ask = async (search: string, { state, nonce, verifier }: Secrets): Promise<Identity> => {
    const [configuration, client] = await Promise.all([discover(), load()]);
    try {
      const tokens = await client.authorizationCodeGrant(configuration, new URL(redirectUri + search), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new SignInRefusal('invalid_answer');
      const identity = requireIdentity(claims, config);
      const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
      if (identity.isComplete || !hasMore) return identity;
      const more = await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
      return requireIdentity({ ...more, ...claims }, config);
    } catch (error) {
      throw error instanceof SignInRefusal ? error : toRefusal(error, client);
    }
  };
  return {
    begin: async (demand) => {
      const [configuration, client] = await Promise.all([discover(), load()]);
      const secrets = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: config.scopes,
        state: secrets.state,
        nonce: secrets.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(secrets.verifier),
        code_challenge_method: 'S256',
        ...(demand === 'any' ? {} : { max_age: '0' }),
        ...(demand === 'newByPrompt' ? { prompt: 'login' } : {}),
      });
      return { url: url.href, secrets };
    },
    finish: (search, secrets, address) =>
      withAskingSlot(() => ask(search, secrets), strangersTurn(addressBlock(address))),
  };
};

export interface OpenId {
  readonly config: OpenIdConfig;
  readonly provider: Provider;
}

/** Where the provider sends its answers, for all environments, below the public address. */
export const callbackPath = '/api/sign-in/oidc/callback';

/** Returns the provider of the configuration; null: there is none. */
export const createOpenId = ({ openId: config, publicUrl }: Pick<Config, 'openId' | 'publicUrl'>): OpenId | null =>
  config === null ? null : { config, provider: createProvider(config, `${publicUrl}${callbackPath}`) };
