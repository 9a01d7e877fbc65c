/**
 * Who may do what: every endpoint called by every kind of principal on every kind of object. The statuses stand in a
 * table that was written by hand from the contract (matrix/rows/), not computed from the code's own permissions. A new
 * endpoint without rows fails.
 */
import { expect } from 'chai';
import type { Documents } from '../support/documented.ts';
import { withoutNames, type Client, type Reply } from '../support/http.ts';
import { callTool } from '../support/tools.ts';
import type { World } from '../support/world.ts';
import { callsOf } from './matrix/calls.ts';
import { personas, type Persona, type Thing } from './matrix/columns.ts';
import { record } from './matrix/declared.ts';
import { newMatrixWorld } from './matrix/matrixWorld.ts';
import { rows } from './matrix/rows.ts';

describe('the permission matrix', () => {
  const site = newMatrixWorld();
  const { clients, items, approvals } = site;
  const { send, toolOf } = callsOf(site);
  let world: World;
  let documents: Documents;

  before(async () => {
    ({ world, documents } = await site.open());
  });
  after(() => site.close());

  it('has rows for every endpoint, and at least 2,000 cells', () => {
    const named = new Set(rows.map(([endpoint]) => endpoint.replace(/\?.*/, '').split(' ').slice(0, 2).join(' ')));
    // Those of settings, sign-in and one’s own account stand in settingsMatrix.test.ts.
    const endpoints = documents.operations
      .filter(({ method, path }) => !/^\/(?:settings|sign-|me\/)/.test(path) && `${method} ${path}` !== 'PATCH /me')
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
    expect(rows.length * personas.length).to.be.at.least(2_000);
  });

  for (const [endpoint, thing, statuses] of rows) {
    it(`${endpoint} ${thing}: ${statuses.replace(/ +/g, ' ')}`, async () => {
      const wanted = statuses.split(/ +/);
      const got: string[] = [];
      for (const persona of personas) {
        // While an agent's reply is on its way, no other agent replies.
        if (endpoint === 'POST /items/{id}/reply') await world.settled();
        got.push(String((await send(endpoint, thing, clients.get(persona) ?? world.nobody())).status));
      }
      const cells = (list: readonly string[]): string[] => personas.map((persona, i) => `${persona} ${list[i] ?? ''}`);
      expect(cells(got)).to.deep.equal(cells(wanted));
    });
  }

  it('lets tools do what the endpoints let do, and no more', async () => {
    let compared = 0;
    for (const [endpoint, thing, statuses] of rows) {
      for (const [i, wanted] of statuses.split(/ +/).entries()) {
        const persona = personas[i];
        const client = persona === undefined ? undefined : clients.get(persona);
        const call = client === undefined ? null : toolOf(endpoint, thing, client);
        if (client === undefined || call === null) continue;
        if (endpoint === 'POST /items/{id}/reply') await world.settled();
        const { status, reply } = await callTool(client, ...call);
        // A second time there may be nothing left to do.
        const expected =
          persona === 'app'
            ? [403]
            : Number(wanted) < 300
              ? [200, ...(endpoint.includes('cancel') || endpoint.includes('claim') ? [409] : [])]
              : [Number(wanted)];
        expect(status, `${endpoint} ${thing} ${String(persona)} ${JSON.stringify(call)} ${reply.text}`).to.be.oneOf(
          expected,
        );
        compared += 1;
      }
    }
    expect(compared).to.be.above(1_500);
  });

  it('answers what is hidden and what doesn’t exist with the same bytes, headers included', async () => {
    const own = new Set(['x-request-id', 'date', 'ratelimit', 'content-length']);
    const shown = ({ status, text, headers }: Reply): object => ({
      status,
      text: withoutNames(text),
      headers: [...headers].filter(([name]) => !own.has(name)),
    });
    // Of these there is no row about something that doesn't exist, or it is no 404, or (test/flags/ofrep.test.ts) it names the flag.
    const none = new Set(['POST /bulk', 'POST /bulk dryRun', 'POST /ofrep/v1/evaluate/flags/{flag}']);
    let compared = 0;
    for (const [endpoint, thing, statuses] of rows) {
      if (thing === 'no' || none.has(endpoint)) continue;
      for (const [i, status] of statuses.split(/ +/).entries()) {
        const persona = personas[i];
        const client = persona === undefined ? undefined : clients.get(persona);
        if (status !== '404' || client === undefined || persona === 'away') continue;
        const [hidden, unknown] = [await send(endpoint, thing, client), await send(endpoint, 'no', client)];
        expect(shown(hidden), `${endpoint} ${thing} ${String(persona)}`).to.deep.equal(shown(unknown));
        compared += 1;
      }
    }
    expect(compared).to.be.above(300);
  });

  it('lets a person run what needs a fresh sign-in while it is fresh, and no agent in any way', async () => {
    const body = { action: 'fresh', record: record.id };
    const bulk = { ids: [items.get('own')], operation: { type: 'action', action: 'fresh', input: {} } };
    const signedIn = await world.person('operator', 'Fresh', { fresh: true });
    expect((await signedIn.post('/actions', body)).status).to.equal(200);
    const once = { record: record.id, idempotencyKey: 'once more' };
    expect((await callTool(signedIn, 'action_fresh', once)).status).to.equal(200);
    const made = async (): Promise<number> => (await world.sql(`select id from runs where action = 'fresh'`)).length;
    const before = await made();
    for (const persona of ['admin', 'oper', 'clerk', 'read', 'sup', 'pers'] as const) {
      for (const [path, sent] of [
        ['/actions', body],
        ['/bulk', bulk],
        ['/bulk', { ...bulk, dryRun: true }],
      ] as const)
        expect((await clients.get(persona)?.post(path, sent))?.status, `${persona} ${path}`).to.equal(403);
      expect(
        (await callTool(clients.get(persona) ?? world.nobody(), 'action_fresh', { record: record.id })).status,
        `${persona} action_fresh`,
      ).to.equal(403);
    }
    expect(await made()).to.equal(before);
  });

  it('lets a person decide only what they see, and answers the rest as if it weren’t there', async () => {
    await world.role('decides', [
      { on: 'resource:own', can: ['see'] },
      { on: 'inbox:own', can: ['see'] },
      { on: 'approvals', can: ['*'] },
    ]);
    const narrow = documents.of(await world.person('decides'));
    const approval = (thing: Thing): string => approvals.get(`get ${thing}`) ?? '';
    for (const verb of ['approve', 'reject']) {
      const none = await narrow.post(`/approvals/apr_01jd0000000000000000000000/${verb}`);
      for (const thing of ['hidden', 'bulks', 'else'] as const) {
        const { status, text } = await narrow.post(`/approvals/${approval(thing)}/${verb}`);
        expect([status, text], `${verb} ${thing}`).to.deep.equal([404, none.text]);
      }
    }
    expect(
      (await narrow.get('/approvals?limit=200')).body.approvals.map(({ id }: { id: string }) => id),
    ).to.not.include.members([approval('hidden'), approval('bulks')]);
    for (const thing of ['sups', 'admins'] as const)
      expect((await narrow.post(`/approvals/${approval(thing)}/reject`)).status, thing).to.equal(200);
  });

  it('changes nothing that was refused', async () => {
    const { admin, clerk, sup } = Object.fromEntries(clients) as Record<Persona, Client>;
    interface Entry {
      readonly type: string;
      readonly actor: { readonly id: string };
      readonly data: { readonly kind?: string; readonly text?: string; readonly run?: string };
    }
    const allowed = new Set(
      [...clients]
        .filter(([persona]) => ['admin', 'oper', 'app', 'pers'].includes(persona))
        .map(([, client]) => client.id),
    );
    let refusals = 0;
    for (const [endpoint, thing, statuses] of rows) {
      if (!/^POST \/(?:items|bulk|actions)\b/.test(endpoint)) continue;
      for (const [i, status] of statuses.split(/ +/).entries()) {
        const client = clients.get(personas[i] ?? 'none');
        // The first caller holds the claim, and here that is another one than in the row.
        const isLate = status === '409' && endpoint === 'POST /items/{id}/claim';
        if (client === undefined || Number(status) < 400 || isLate) continue;
        expect((await send(endpoint, thing, client)).status, `${endpoint} ${thing}`).to.equal(Number(status));
        refusals += 1;
      }
    }
    expect(refusals).to.be.above(400);
    const others = async (thing: Thing): Promise<Entry[]> =>
      ((await admin.get(`/items/${items.get(thing) ?? ''}`)).body.timeline as Entry[]).filter(
        ({ actor }) => !allowed.has(actor.id),
      );
    // Everyone who sees an item may ask about it.
    expect((await others('hidden')).filter(({ data }) => data.kind !== 'question')).to.deep.equal([]);
    // Everyone who sees an item may record a run of an action there, which changes nothing of the item.
    expect((await others('readOnly')).filter(({ type }) => type !== 'action' && type !== 'approval')).to.deep.equal([]);
    const ownOnes = (await others('own')).filter(({ actor }) => actor.id !== clerk.id);
    const runsOfSup = ((await sup.get('/runs?limit=200')).body.runs as { id: string; status: string }[])
      .filter(({ status }) => status === 'pending')
      .map(({ id }) => id);
    // Of the supervised agent there are its requests, and what the person approved.
    const asked = ({ type, data }: Entry): boolean =>
      type === 'approval' || data.text === 'approve' || runsOfSup.includes(data.run ?? '');
    expect(ownOnes.filter((entry) => !asked(entry))).to.deep.equal([]);
  });
});
