/**
 * Who may change the project's settings: every endpoint of settings and sign-in, called by every kind of principal on
 * every kind of object. Written by hand from the contract; a new endpoint without rows fails.
 */
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { newId } from '../../shared/platform/core/ids.ts';
import { readDocuments, type Documents } from '../support/documented.ts';
import type { Client, Reply } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

/**
 * `all` is an admin with access to all environments whose sign-in is fresh. `boss` is one too, `worn` one whose sign-in
 * isn't fresh, `mgr` has a role with nothing but `settings: manage`, and a fresh sign-in; these three have access to
 * this environment alone. `pers` is an operator, fresh too;
 * `agent` an admin's agent, `app` an app key, `none` an agent without grants, `gone` an admin who was removed, `away`
 * a fresh admin of another environment.
 */
const personas = ['all', 'boss', 'worn', 'mgr', 'pers', 'agent', 'app', 'none', 'gone', 'away'] as const;
type Persona = (typeof personas)[number];

/** `wide`: with access to all environments; `else`: to another one only; `used`: a role that somebody has, a loosening that is decided; `no`: nothing. */
type Thing = '' | 'own' | 'wide' | 'else' | 'used' | 'builtIn' | 'no';

const rows: readonly [string, Thing, string][] = [
  //                                             all  boss worn mgr  pers agent app none gone away
  ['GET /settings/agents', '', '200  200  200  200  403  403  403  403  401  404'],
  ['POST /settings/agents', '', '201  201  403  201  403  403  403  403  401  404'],
  ['PATCH /settings/agents/{id}', 'own', '200  200  200  200  403  403  403  403  401  404'],
  ['PATCH /settings/agents/{id}', 'wide', '200  403  403  403  403  403  403  403  401  404'],
  ['PATCH /settings/agents/{id}', 'else', '200  404  404  404  403  403  403  403  401  404'],
  ['PATCH /settings/agents/{id}', 'no', '404  404  404  404  403  403  403  403  401  404'],
  ['PATCH /settings/agents/{id} role', 'own', '200  200  403  200  403  403  403  403  401  404'],
  ['PATCH /settings/agents/{id} role', 'no', '404  404  403  404  403  403  403  403  401  404'],
  ['PATCH /settings/agents/{id} mode', 'own', '200  200  403  200  403  403  403  403  401  404'],
  ['PATCH /settings/agents/{id} mode', 'wide', '200  403  403  403  403  403  403  403  401  404'],
  ['PATCH /settings/agents/{id} mode', 'no', '404  404  404  404  403  403  403  403  401  404'],
  ['PATCH /settings/agents/{id} expiresAt', 'own', '200  200  403  200  403  403  403  403  401  404'],
  ['PATCH /settings/agents/{id} environments', 'own', '200  400  400  400  403  403  403  403  401  404'],
  ['DELETE /settings/agents/{id}', 'own', '204  204  204  204  403  403  403  403  401  404'],
  ['DELETE /settings/agents/{id}', 'wide', '204  403  403  403  403  403  403  403  401  404'],
  ['DELETE /settings/agents/{id}', 'else', '204  404  404  404  403  403  403  403  401  404'],
  ['DELETE /settings/agents/{id}', 'no', '404  404  404  404  403  403  403  403  401  404'],
  ['POST /settings/agents/{id}/rotate', 'own', '201  201  403  201  403  403  403  403  401  404'],
  ['POST /settings/agents/{id}/rotate', 'wide', '201  403  403  403  403  403  403  403  401  404'],
  ['POST /settings/agents/{id}/rotate', 'else', '201  404  403  404  403  403  403  403  401  404'],
  ['POST /settings/agents/{id}/rotate', 'no', '404  404  403  404  403  403  403  403  401  404'],

  ['GET /settings/agents/{id}/activity', 'own', '200  200  200  403  403  403  403  403  401  404'],
  ['GET /settings/agents/{id}/activity', 'wide', '200  200  200  403  403  403  403  403  401  404'],
  ['GET /settings/agents/{id}/activity', 'else', '404  404  404  403  403  403  403  403  401  404'],
  ['GET /settings/agents/{id}/activity', 'no', '404  404  404  403  403  403  403  403  401  404'],

  // Opened as a WebSocket.
  ['GET /live?agent={id}', 'own', '101  101  101  403  403  403  403  403  401  404'],
  ['GET /live?agent={id}', 'wide', '101  101  101  403  403  403  403  403  401  404'],
  ['GET /live?agent={id}', 'else', '404  404  404  403  403  403  403  403  401  404'],
  ['GET /live?agent={id}', 'no', '404  404  404  403  403  403  403  403  401  404'],

  ['GET /settings/roles', '', '200  200  200  200  403  403  403  403  401  404'],
  ['POST /settings/roles', '', '201  403  403  403  403  403  403  403  401  404'],
  ['PATCH /settings/roles/{id}', 'own', '200  403  403  403  403  403  403  403  401  404'],
  ['PATCH /settings/roles/{id}', 'builtIn', '409  403  403  403  403  403  403  403  401  404'],
  ['PATCH /settings/roles/{id}', 'no', '404  403  403  403  403  403  403  403  401  404'],
  ['DELETE /settings/roles/{id}', 'own', '204  403  403  403  403  403  403  403  401  404'],
  ['DELETE /settings/roles/{id}', 'used', '409  403  403  403  403  403  403  403  401  404'],
  ['DELETE /settings/roles/{id}', 'builtIn', '409  403  403  403  403  403  403  403  401  404'],
  ['DELETE /settings/roles/{id}', 'no', '404  403  403  403  403  403  403  403  401  404'],

  ['GET /settings/people', '', '200  200  200  200  403  403  403  403  401  404'],
  ['POST /settings/people', '', '201  201  403  201  403  403  403  403  401  404'],
  ['PATCH /settings/people/{id}', 'own', '200  200  200  200  403  403  403  403  401  404'],
  ['PATCH /settings/people/{id}', 'wide', '200  403  403  403  403  403  403  403  401  404'],
  ['PATCH /settings/people/{id}', 'else', '200  404  404  404  403  403  403  403  401  404'],
  ['PATCH /settings/people/{id}', 'no', '404  404  404  404  403  403  403  403  401  404'],
  ['PATCH /settings/people/{id} role', 'own', '200  200  403  200  403  403  403  403  401  404'],
  ['PATCH /settings/people/{id} password', 'own', '200  200  403  200  403  403  403  403  401  404'],
  ['DELETE /settings/people/{id}', 'own', '204  204  204  204  403  403  403  403  401  404'],
  ['DELETE /settings/people/{id}', 'wide', '204  403  403  403  403  403  403  403  401  404'],
  ['DELETE /settings/people/{id}', 'else', '204  404  404  404  403  403  403  403  401  404'],
  ['DELETE /settings/people/{id}', 'no', '404  404  404  404  403  403  403  403  401  404'],

  ['GET /settings/app-keys', '', '200  200  200  200  403  403  403  403  401  404'],
  ['POST /settings/app-keys', '', '201  201  403  201  403  403  403  403  401  404'],
  ['PATCH /settings/app-keys/{id}', 'own', '200  200  200  200  403  403  403  403  401  404'],
  ['PATCH /settings/app-keys/{id}', 'else', '404  404  404  404  403  403  403  403  401  404'],
  ['PATCH /settings/app-keys/{id}', 'no', '404  404  404  404  403  403  403  403  401  404'],
  ['DELETE /settings/app-keys/{id}', 'own', '204  204  204  204  403  403  403  403  401  404'],
  ['DELETE /settings/app-keys/{id}', 'else', '404  404  404  404  403  403  403  403  401  404'],
  ['DELETE /settings/app-keys/{id}', 'no', '404  404  404  404  403  403  403  403  401  404'],
  ['POST /settings/app-keys/{id}/rotate', 'own', '201  201  403  201  403  403  403  403  401  404'],
  ['POST /settings/app-keys/{id}/rotate', 'else', '404  404  403  404  403  403  403  403  401  404'],
  ['POST /settings/app-keys/{id}/rotate', 'no', '404  404  403  404  403  403  403  403  401  404'],

  ['GET /settings/environments', '', '200  200  200  200  403  403  403  403  401  404'],
  ['POST /settings/environments', '', '201  201  201  201  403  403  403  403  401  404'],

  ['PATCH /settings/environments/{name}', 'own', '200  200  403  200  403  403  403  403  401  404'],
  ['PATCH /settings/environments/{name}', 'else', '200  404  403  404  403  403  403  403  401  404'],
  ['PATCH /settings/environments/{name}', 'no', '404  404  403  404  403  403  403  403  401  404'],
  ['POST /settings/environments trustApp', '', '201  201  403  201  403  403  403  403  401  404'],
  ['PATCH /settings/environments/{name} trustApp', 'own', '200  200  403  200  403  403  403  403  401  404'],
  ['PATCH /settings/environments/{name} acceptNew', 'own', '200  200  403  200  403  403  403  403  401  404'],
  ['PATCH /settings/environments/{name} trustApp', 'else', '200  404  403  404  403  403  403  403  401  404'],
  ['PATCH /settings/environments/{name} trustApp', 'no', '404  404  403  404  403  403  403  403  401  404'],

  ['GET /settings/loosenings', '', '200  200  200  200  403  403  403  403  401  404'],
  ['POST /settings/loosenings/{id}/accept', 'own', '200  200  403  200  403  403  403  403  401  404'],
  ['POST /settings/loosenings/{id}/accept', 'used', '409  409  403  409  403  403  403  403  401  404'],
  ['POST /settings/loosenings/{id}/accept', 'else', '404  404  403  404  403  403  403  403  401  404'],
  ['POST /settings/loosenings/{id}/accept', 'no', '404  404  403  404  403  403  403  403  401  404'],
  ['POST /settings/loosenings/{id}/refuse', 'own', '200  200  403  200  403  403  403  403  401  404'],
  ['POST /settings/loosenings/{id}/refuse', 'used', '409  409  403  409  403  403  403  403  401  404'],
  ['POST /settings/loosenings/{id}/refuse', 'else', '404  404  403  404  403  403  403  403  401  404'],
  ['POST /settings/loosenings/{id}/refuse', 'no', '404  404  403  404  403  403  403  403  401  404'],

  ['GET /settings/erasures', '', '200  200  200  200  403  403  403  403  401  404'],
  ['POST /settings/erasures', '', '202  202  403  202  403  403  403  403  401  404'],
  ['POST /settings/erasures dryRun', '', '200  200  403  200  403  403  403  403  401  404'],

  // `used`: one that waits for the app.
  ['GET /settings/jobs', '', '200  200  200  200  403  403  403  403  401  404'],
  ['POST /settings/jobs/{id}/retry', 'own', '200  200  200  200  403  403  403  403  401  404'],
  ['POST /settings/jobs/{id}/retry', 'used', '409  409  409  409  403  403  403  403  401  404'],
  ['POST /settings/jobs/{id}/retry', 'else', '404  404  404  404  403  403  403  403  401  404'],
  ['POST /settings/jobs/{id}/retry', 'no', '404  404  404  404  403  403  403  403  401  404'],

  ['PATCH /me', '', '200  200  200  200  200  403  403  403  401  404'],
  ['GET /me/sessions', '', '200  200  200  200  200  403  403  403  401  404'],
  ['DELETE /me/sessions/{id}', 'else', '404  404  404  404  404  403  403  403  401  404'],
  ['DELETE /me/sessions/{id}', 'no', '404  404  404  404  404  403  403  403  401  404'],

  // `own`: the caller's; `used`: a shared one of somebody else; `else`: somebody else's own, or one of another environment.
  ['GET /me/views', '', '200  200  200  200  200  403  403  403  401  404'],
  ['POST /me/views', '', '201  201  201  201  201  403  403  403  401  404'],
  ['PATCH /me/views/{id}', 'own', '200  200  200  200  200  403  403  403  401  404'],
  ['PATCH /me/views/{id}', 'used', '403  403  403  404  403  403  403  403  401  404'],
  ['PATCH /me/views/{id}', 'else', '404  404  404  404  404  403  403  403  401  404'],
  ['PATCH /me/views/{id}', 'no', '404  404  404  404  404  403  403  403  401  404'],
  ['DELETE /me/views/{id}', 'own', '204  204  204  204  204  403  403  403  401  404'],
  ['DELETE /me/views/{id}', 'used', '204  204  204  404  403  403  403  403  401  404'],
  ['DELETE /me/views/{id}', 'else', '404  404  404  404  404  403  403  403  401  404'],
  ['DELETE /me/views/{id}', 'no', '404  404  404  404  404  403  403  403  401  404'],

  // Takes no token, so it doesn't matter whose is sent along; these passwords are wrong.
  ['GET /sign-in/methods', '', '200  200  200  200  200  200  200  200  200  200'],
  // Of a service without a provider.
  ['GET /sign-in/oidc', '', '404  404  404  404  404  404  404  404  404  404'],
  ['POST /sign-in', '', '401  401  401  401  401  401  401  401  401  401'],
  ['POST /sign-in/fresh', '', '403  403  403  403  403  403  403  403  401  404'],
  ['POST /sign-out', '', '204  204  204  204  204  403  403  403  401  404'],
];

const variants: Readonly<Record<string, unknown>> = {
  role: 'operator',
  password: 'a new password',
  mode: 'supervised',
  expiresAt: null,
  environments: ['demo', 'staging'],
};
const environmentNames: Readonly<Record<string, string>> = { own: 'demo', else: 'staging', no: 'nosuch' };
const nothing = {
  agents: 'agt',
  roles: 'rol',
  people: 'per',
  'app-keys': 'key',
  loosenings: 'loo',
  jobs: 'job',
} as const;

describe('the permission matrix of settings', () => {
  let world: World;
  let documents: Documents;
  const clients = new Map<Persona, Client>();
  let count = 0;

  const makePersona = async (persona: Persona): Promise<Client> => {
    const here = { environments: ['demo'] };
    switch (persona) {
      case 'all':
        return world.person('admin', 'All', { fresh: true });
      case 'boss':
        return world.person('admin', 'Boss', { ...here, fresh: true });
      case 'worn':
        return world.person('admin', 'Worn', here);
      case 'mgr':
        return world.person('manager', 'Manager', { ...here, fresh: true });
      case 'pers':
        return world.person('operator', 'Operator', { ...here, fresh: true });
      case 'agent':
        return world.agent('admin');
      case 'app':
        return world.appKey();
      case 'none':
        return world.agent('nothing');
      case 'away':
        return world.person('admin', 'Away', { environments: ['staging'], fresh: true });
      case 'gone': {
        const gone = await world.person('admin', 'Gone', here);
        await world.revoke(gone);
        return gone;
      }
    }
  };

  /** A loosening of the action of the world's manifest, as its declaration would have left it. */
  const loosening = async (environment: string, status: string): Promise<string> => {
    const id = newId('loo');
    await world.sql(
      `insert into loosenings (id, env, type, name, member, value_from, value_to, since, status)
       select $1, id, 'action', 'upgrade', 'approval', 'true', 'false', 0, $3 from environments where name = $2`,
      [id, environment, status],
    );
    await world.sql(
      `insert into definition_rules select id, 'action', 'upgrade', $2, 0 from environments where name = $1 on conflict do nothing`,
      [environment, { members: { approval: true }, input: {}, withheld: false, label: 'Upgrade' }],
    );
    return id;
  };

  /** A job that was given up, or waits for the app. */
  const job = async (environment: string, waits: boolean): Promise<string> => {
    const id = newId('job');
    await world.sql(
      `insert into staged_jobs (id, env, name, payload, waits_for_app, last_error, created_at)
       select $1, id, 'triageItem', '{}', $3, 'x', 0 from environments where name = $2`,
      [id, environment, waits],
    );
    return id;
  };

  /** The id of something made for one call; an agent as narrow as the call can widen it. */
  const make = async (kind: string, thing: Thing, variant: string): Promise<string> => {
    count += 1;
    const environments = thing === 'wide' ? ['*'] : thing === 'else' ? ['staging'] : ['demo'];
    if (thing === 'no') return `${nothing[kind as keyof typeof nothing]}_01jd0000000000000000000000`;
    if (kind === 'agents') {
      const mode = variant === 'mode' ? 'readonly' : 'normal';
      const end = variant === 'expiresAt' ? { expiresAt: Date.now() + 3_600_000 } : {};
      return (await world.agent('viewer', { environments, mode, ...end })).id;
    }
    if (kind === 'people') return (await world.person('viewer', 'Somebody', { environments })).id;
    if (kind === 'app-keys') return (await world.appKey(environments[0])).id;
    if (kind === 'loosenings') return loosening(environments[0] ?? '', thing === 'used' ? 'refused' : 'waiting');
    if (kind === 'jobs') return job(environments[0] ?? '', thing === 'used');
    if (thing === 'builtIn')
      return (await world.sql<{ id: string }>(`select id from roles where name = 'viewer'`))[0]?.id ?? '';
    const name = `role ${String(count)}`;
    const id = await world.role(name, []);
    if (thing === 'used') await world.agent(name);
    return id;
  };

  const bodyOf = (method: string, path: string, variant: string): unknown => {
    const unique = `x${String(count)}`;
    if (path.startsWith('/sign-out')) return undefined;
    if (path === '/me') return { preferences: { [unique]: true } };
    if (path === '/me/views' && method === 'POST') return { name: unique, query: {} };
    if (path === '/sign-in') return { email: `${unique}@example.com`, password: 'wrong' };
    if (path === '/sign-in/fresh') return { password: 'wrong' };
    if (method === 'GET' || method === 'DELETE' || /\/(?:rotate|accept|refuse|retry)$/.test(path)) return undefined;
    if (path === '/settings/environments' && variant !== '') return { name: unique, [variant]: true };
    if (path.endsWith('{name}')) return { [variant === '' ? 'independentApproval' : variant]: count % 2 === 0 };
    if (path === '/settings/erasures') {
      const record = { resource: 'customer', id: unique };
      return { record, [variant === '' ? 'confirmed' : variant]: true };
    }
    if (variant !== '') return { [variant]: variants[variant] };
    if (method === 'PATCH') return { name: unique };
    const bodies: Readonly<Record<string, object>> = {
      agents: { name: unique, role: 'viewer' },
      roles: { name: unique, grants: [] },
      'app-keys': { name: unique },
      environments: { name: unique },
      people: { email: `${unique}@example.com`, name: unique, role: 'viewer', password: 'long enough' },
    };
    return bodies[path.split('/')[2] ?? ''];
  };

  /** The id of a session of somebody else; `no`: one that never was. */
  const sessionOf = async (thing: Thing): Promise<string> => {
    const stranger = await world.person('viewer', 'Stranger');
    const [own] = (await stranger.get('/me/sessions')).body.sessions as { id: string }[];
    return thing === 'else' ? (own?.id ?? '') : 'ses_01jd0000000000000000000000';
  };

  /** The id of a saved view. Whoever can't save one is given nobody's, as agents and strangers get no further than that. */
  const viewOf = async (thing: Thing, client: Client): Promise<string> => {
    const body = { name: `View ${String(count)}`, query: {}, shared: thing === 'used' };
    const owner = thing === 'own' ? client : await world.person('admin', 'Saver');
    const id =
      thing === 'no' ? undefined : ((await owner.post('/me/views', body)).body?.view?.id as string | undefined);
    return id ?? 'viw_01jd0000000000000000000000';
  };

  /** The answer to the request for a stream; one that opens is closed again. */
  const openStream = async (client: Client, path: string): Promise<Pick<Reply, 'status' | 'body'>> => {
    const socket = new WebSocket(`${client.base.replace('http', 'ws')}${path}`, {
      headers: { authorization: `Bearer ${client.token}` },
    });
    return new Promise((resolve, reject) => {
      socket.on('error', reject);
      socket.once('open', () => {
        socket.close();
        resolve({ status: 101, body: null });
      });
      socket.once('unexpected-response', (_request, response) => {
        text(response).then((body) => {
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(body) as unknown });
        }, reject);
      });
    });
  };

  const send = async (endpoint: string, thing: Thing, client: Client): Promise<Pick<Reply, 'status' | 'body'>> => {
    const [method = '', path = '', variant = ''] = endpoint.split(' ');
    count += 1;
    if (path.startsWith('/live')) return openStream(client, path.replace('{id}', await make('agents', thing, variant)));
    const target = path.includes('{id}')
      ? path.replace(
          '{id}',
          path.startsWith('/me/views')
            ? await viewOf(thing, client)
            : path.startsWith('/me')
              ? await sessionOf(thing)
              : await make(path.split('/')[2] ?? '', thing, variant),
        )
      : path.replace('{name}', environmentNames[thing] ?? '');
    const body = bodyOf(method, path, variant);
    // Tries count by address; each call comes from another.
    return client.call(method, target, body, {
      headers: { 'x-forwarded-for': `10.0.${String(count >> 8)}.${String(count & 255)}` },
    });
  };

  before(async () => {
    world = await newWorld({ workers: false, env: { TRUST_PROXY: '1' } });
    await world.environment('staging');
    documents = await readDocuments(world.base);
    await world.role('manager', [{ on: 'settings', can: ['manage'] }]);
    await world.role('nothing', []);
    for (const persona of personas) clients.set(persona, documents.of(await makePersona(persona)));
  });
  after(() => world.close());

  it('has rows for every endpoint of settings and sign-in', () => {
    const named = new Set(
      rows
        .map(([endpoint]) => endpoint.split(' ').slice(0, 2).join(' '))
        .filter((endpoint) => endpoint !== 'GET /live?agent={id}'),
    );
    const endpoints = documents.operations
      .filter(({ method, path }) => /^\/(?:settings|sign-|me\/)/.test(path) || (path === '/me' && method === 'PATCH'))
      .map(({ method, path }) => `${method} ${path}`);
    expect(
      endpoints.filter((endpoint) => !named.has(endpoint)),
      'add rows for the new endpoint to this table',
    ).to.deep.equal([]);
    expect(
      [...named].filter((endpoint) => !endpoints.includes(endpoint)),
      'these rows have no endpoint any more',
    ).to.deep.equal([]);
    for (const [endpoint, , statuses] of rows) expect(statuses.split(/ +/), endpoint).to.have.length(personas.length);
  });

  for (const [endpoint, thing, statuses] of rows) {
    it(`${endpoint} ${thing}: ${statuses.replace(/ +/g, ' ')}`, async () => {
      const got: string[] = [];
      const ends = endpoint === 'POST /sign-out';
      for (const persona of personas) {
        const client = ends ? documents.of(await makePersona(persona)) : clients.get(persona);
        if (client === undefined) throw new Error(persona);
        const { status, body } = await send(endpoint, thing, client);
        got.push(String(status));
        if (status === 403 && ['agent', 'none'].includes(persona))
          expect(body.code, `${persona} ${endpoint}`).to.equal('person_required');
        if (status === 403 && persona === 'worn' && thing !== 'wide' && endpoint.startsWith('POST /settings'))
          expect(body.code).to.equal('fresh_sign_in_required');
      }
      const cells = (list: readonly string[]): string[] => personas.map((persona, i) => `${persona} ${list[i] ?? ''}`);
      expect(cells(got)).to.deep.equal(cells(statuses.split(/ +/)));
    });
  }

  it('changed nothing that was refused', async () => {
    const allowed = new Set((['all', 'boss', 'worn', 'mgr'] as const).map((persona) => clients.get(persona)?.id));
    const done = await world.sql<{ actor: string; verb: string }>(
      `select actor, verb from events where outcome = 'ok' and verb not like 'person.sign%' and verb not like 'view.%' and target is distinct from actor`,
    );
    expect(done.length).to.be.above(20);
    expect(done.filter(({ actor }) => !allowed.has(actor))).to.deep.equal([]);
  });
});
