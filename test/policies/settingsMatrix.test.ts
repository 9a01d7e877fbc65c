/**
 * Who may change the project's settings: every endpoint of settings and sign-in, called by every kind of principal on
 * every kind of object. Written by hand from the contract; a new endpoint without rows fails.
 */
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { newId } from '../../shared/platform/ids.ts';
import { readDocuments, type Documents } from '../support/documented.ts';
import type { Client, Reply } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';
import {
  environmentNames,
  harmless,
  isHarmless,
  nothing,
  personas,
  rows,
  values,
  variants,
  type Persona,
  type Thing,
} from './matrix/settingsRows.ts';

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
    if (path === '/settings/jobs') return method === 'POST' ? { change: 'retry' } : undefined;
    if (path === '/sign-in/reset') return { email: `${unique}@example.com` };
    if (/\/(?:invitation|confirm)$/.test(path)) return { token: unique, password: 'long enough' };
    if (path === '/sign-in') return { email: `${unique}@example.com`, password: 'wrong' };
    if (path === '/sign-in/fresh') return { password: 'wrong' };
    if (method === 'GET' || method === 'DELETE' || /\/(?:rotate|accept|refuse|retry)$/.test(path)) return undefined;
    if (path === '/settings/environments' && variant !== '') return { name: unique, [variant]: true };
    if (path.endsWith('{name}')) return { [variant === '' ? 'independentApproval' : variant]: count % 2 === 0 };
    if (path === '/settings/erasures') {
      const record = { resource: 'customer', id: unique };
      return { record, [variant === '' ? 'confirmed' : variant]: true };
    }
    if (variant === 'email') return { email: `${unique}@example.com` };
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

  it('demands a fresh sign-in for every change under /settings and each member, but for those that are named as harmless, and /openapi.json says so', async () => {
    const worn = clients.get('worn') ?? world.nobody();
    const passed: string[] = [];
    const demanded = new Map<string, string>();
    const changes = documents.operations.filter(({ method, path }) => path.startsWith('/settings') && method !== 'GET');
    expect(changes.length).to.be.above(15);
    for (const { method, path, body } of changes) {
      const members = Object.keys((body?.schema['properties'] ?? {}) as object).filter((name) => name !== 'reason');
      const unknown = method === 'PATCH' ? members.filter((name) => !(name in values)) : [];
      expect(unknown, `add a value of each to this test: ${path}`).to.deep.equal([]);
      const bodies =
        method === 'PATCH' ? members.map((name) => ({ [name]: values[name] })) : [(body?.example ?? {}) as object];
      const free: string[] = [];
      for (const given of bodies) {
        const reply = await worn.call(method, path.replace(/\{\w+\}/, 'x'), given);
        if (reply.body?.code === 'fresh_sign_in_required') continue;
        free.push(method === 'PATCH' ? Object.keys(given).join(' ') : '');
      }
      passed.push(...free.map((member) => `${method} ${path} ${member}`));
      if (free.length < bodies.length)
        demanded.set(
          `${method} ${path}`,
          free.length === 0
            ? 'Needs a fresh sign-in.'
            : `Needs a fresh sign-in, unless it changes \`${free.join('`, `')}\` alone.`,
        );
    }
    const wanted = Object.entries(harmless).map(([endpoint, member]) => `${endpoint} ${member}`);
    expect(passed.toSorted()).to.deep.equal(wanted.toSorted());
    // Of these the action decides.
    for (const endpoint of ['POST /actions', 'POST /bulk', 'POST /runs/{id}/retry'])
      demanded.set(endpoint, 'Needs a fresh sign-in where the action declares `freshSignIn`.');
    const said = documents.operations.flatMap(({ method, path }) => {
      const { description = '' } = documents.raw.paths[path]?.[method.toLowerCase()] ?? {};
      const sentence = /Needs a fresh sign-in.*$/.exec(description);
      return sentence === null ? [] : [[`${method} ${path}`, sentence[0]] as const];
    });
    expect(new Map(said)).to.deep.equal(demanded);
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
        const isOfSettings = /^(?:POST|PATCH|DELETE) \/settings/.test(endpoint);
        if (status === 403 && persona === 'worn' && isOfSettings && !isHarmless(endpoint))
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

  it('refuses whoever may not call an endpoint at all before it reads what they ask for', async () => {
    const refusedTo: string[] = [];
    const answered: string[] = [];
    for (const { method, path, body, parameters } of documents.operations) {
      const target = path.replaceAll(/\{\w+\}/g, 'x');
      // Upgrades; and where the inbox that is asked about decides, as an unseen one is 404.
      if (['/live', '/app', '/people'].includes(target)) continue;
      const mandatory = parameters.filter((each) => each.in === 'query' && each.required === true);
      const query = new URLSearchParams(
        mandatory.map(({ name, example }): [string, string] => [name, String(example)]),
      ).toString();
      for (const persona of ['pers', 'agent', 'app', 'none'] as const) {
        // A wrong password, and the end of the session that the others need.
        if (persona === 'pers' && path.startsWith('/sign-')) continue;
        const client = clients.get(persona) ?? world.nobody();
        const ask = async (more: string, raw: string | undefined): Promise<string> => {
          const reply = await client.call(
            method,
            `${target}?${query}${more}`,
            undefined,
            raw === undefined ? {} : { raw },
          );
          return `${String(reply.status)} ${String(reply.body?.code)}`;
        };
        const example = body === null ? undefined : JSON.stringify(body.example);
        const wanted = await ask('', example);
        if (!wanted.startsWith('403')) continue;
        refusedTo.push(`${method} ${path} ${persona}`);
        const wrong = [
          ['&nosuch=1', example] as const,
          ...(body === null ? [] : ['{"nosuch":1}', '{'].map((raw) => ['', raw] as const)),
        ];
        for (const [more, raw] of wrong) {
          const got = await ask(more, raw);
          if (got !== wanted) answered.push(`${method} ${path} ${persona} ${more}${raw ?? ''}: ${got}, not ${wanted}`);
        }
      }
    }
    expect(refusedTo.length).to.be.above(100);
    expect(answered.join('\n')).to.equal('');
  });
});
