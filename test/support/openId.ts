/** A real OpenID Connect provider on this machine, under a name of another site, with a page on which an account signs in. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import Provider, { interactionPolicy } from 'oidc-provider';
import { freePort } from '../../shared/tools/services/ports.mjs';

/** Of an account, by its subject. */
type Claims = Readonly<Record<string, unknown>>;

export interface OpenIdProvider {
  readonly issuer: string;
  /** The service's port, and its variables. */
  readonly port: number;
  readonly env: Readonly<Record<string, string>>;
  /** The provider's accounts. */
  readonly accounts: Map<string, Claims>;
  /** How often somebody was shown the page to sign in on. */
  readonly shown: () => number;
  /** From when a sign-in is said to be, in seconds before it. */
  agoSeconds: number;
  /** Whether tokens have no more than the subject, so that the rest has to be asked for. */
  readonly away: (isAway: boolean) => void;
  close(): Promise<void>;
}

const clientSecret = 'a secret of forty characters, or a bit more';
const callback = '/api/sign-in/oidc/callback';

const signInPage = (path: string): string => `<!doctype html><title>The provider</title><h1>Sign in at the provider</h1>
<form method="post" action="${path}"><label>Account <input name="account" required></label><button>Continue</button></form>
<form method="post" action="${path}/refuse"><button>Never mind</button></form>`;

/**
 * `groups` stand in the tokens; e-mail address and name only where the provider is asked for them. With `post` it takes the
 * client's secret in the form alone.
 */
export const startOpenIdProvider = async (clientAuth: 'basic' | 'post' = 'basic'): Promise<OpenIdProvider> => {
  const [own, port] = [await freePort(), await freePort()];
  const issuer = `http://localhost:${String(own)}`;
  const accounts = new Map<string, Claims>();
  let [shown, isAway] = [0, false];
  const policy = interactionPolicy.base();
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'console',
        client_secret: clientSecret,
        token_endpoint_auth_method: `client_secret_${clientAuth}`,
        redirect_uris: [`http://127.0.0.1:${String(port)}${callback}`],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    jwks: {
      keys: [
        {
          ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
          alg: 'RS256',
          use: 'sig',
        } as never,
      ],
    },
    cookies: { keys: ['a key of the tests'] },
    claims: { openid: ['sub', 'auth_time'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    scopes: ['openid', 'email', 'profile', 'groups'],
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    features: { devInteractions: { enabled: false } },
    interactions: { policy, url: (_ctx, { uid }) => `/sign-in/${uid}` },
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: () => Promise.resolve({ ...accounts.get(sub), sub }),
    }),
    // Nobody is asked whether the console may know them.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new provider.Grant({ clientId: 'console', accountId: oidc.session?.accountId ?? '' });
      grant.addOIDCScope('openid email profile groups');
      await grant.save();
      return grant;
    },
  });
  const state = { agoSeconds: 0 };
  const interact = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const path = req.url ?? '';
    if (req.method !== 'POST') {
      shown += 1;
      res.setHeader('content-type', 'text/html').end(signInPage(path));
      return;
    }
    const account = new URLSearchParams(await text(req)).get('account');
    const result =
      account === null
        ? { error: 'access_denied', error_description: '<b>a stranger’s words</b>' }
        : { login: { accountId: account, ts: Math.floor(Date.now() / 1000) - state.agoSeconds } };
    // The library finds the interaction by its cookie, which is bound to this path.
    await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false });
  };
  const answer = provider.callback();
  const server = createServer((req, res) => {
    if (isAway) {
      res.writeHead(503).end('The provider is away.');
      return;
    }
    // The library takes a secret in both ways, whichever the client is registered with.
    if (clientAuth === 'post' && req.headers.authorization?.startsWith('Basic ') === true) {
      res.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"invalid_client"}');
      return;
    }
    if (req.url?.startsWith('/sign-in/') !== true) {
      void answer(req, res);
      return;
    }
    interact(req, res).catch((error: unknown) => res.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => {
    server.listen(own, 'localhost', resolve);
  });
  return Object.assign(state, {
    issuer,
    port,
    env: {
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${String(port)}`,
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: 'console',
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_SCOPES: 'openid email profile groups',
      OIDC_LABEL: 'Example Login',
    },
    accounts,
    shown: () => shown,
    away: (next: boolean) => {
      isAway = next;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  });
};

interface Visit {
  readonly status: number;
  readonly url: string;
  readonly location: string | null;
  readonly text: string;
}

/** A browser without pages: keeps cookies by host and path, and goes where it is sent. */
export interface SimpleBrowser {
  get(url: string): Promise<Visit>;
  post(url: string, form: Readonly<Record<string, string>>): Promise<Visit>;
  /** Follows redirects from an address until an answer is none, or `until` says where to stop. */
  follow(url: string, until?: (url: string) => boolean): Promise<Visit>;
  /** The value of a cookie; undefined: it has none of this name. */
  cookie(name: string): string | undefined;
  /** Sets a cookie of the service. */
  setCookie(name: string, value: string): void;
}

interface Cookie {
  readonly host: string;
  readonly path: string;
  readonly name: string;
  readonly value: string;
}

export const newSimpleBrowser = (): SimpleBrowser => {
  let cookies: Cookie[] = [];
  const keep = (url: URL, header: string): void => {
    const [pair = '', ...attributes] = header.split(';').map((part) => part.trim());
    const [name = '', ...rest] = pair.split('=');
    const of = (wanted: string): string | undefined =>
      attributes.find((part) => part.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1);
    const path = of('path') ?? '/';
    const expires = of('expires');
    const isOver = of('max-age') === '0' || (expires !== undefined && Date.parse(expires) < Date.now());
    cookies = cookies.filter((known) => known.host !== url.hostname || known.name !== name || known.path !== path);
    if (!isOver) cookies.push({ host: url.hostname, path, name, value: rest.join('=') });
  };
  const visit = async (address: string, init: RequestInit = {}): Promise<Visit> => {
    const url = new URL(address);
    const sent = cookies.filter(({ host, path }) => host === url.hostname && url.pathname.startsWith(path));
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { cookie: sent.map(({ name, value }) => `${name}=${value}`).join('; '), accept: 'text/html' },
    });
    for (const header of response.headers.getSetCookie()) keep(url, header);
    const location = response.headers.get('location');
    return {
      status: response.status,
      url: address,
      location: location === null ? null : new URL(location, url).href,
      text: await response.text(),
    };
  };
  return {
    get: visit,
    post: (url, form) => visit(url, { method: 'POST', body: new URLSearchParams(form) }),
    follow: async (url, until = () => false) => {
      let at = await visit(url);
      while (at.location !== null && !until(at.location)) at = await visit(at.location);
      return at;
    },
    cookie: (name) => cookies.find((known) => known.name === name)?.value,
    setCookie: (name, value) => {
      cookies = [...cookies.filter((known) => known.name !== name), { host: '127.0.0.1', path: '/api', name, value }];
    },
  };
};
