/** Dry runs, held against the real calls: first the dry one, then the real one, over random items, operations and roles. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { FakeApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const hour = 3_600_000;
const unknown = 'itm_01jd0000000000000000000000';
const done = { 'action.run': () => ({ message: 'Done.' }) };
const order = { resource: 'order' } as const;
const mail = {
  name: 'mail',
  states: [
    { name: 'open', kind: 'open' },
    { name: 'waiting', kind: 'waiting' },
    { name: 'closed', kind: 'closed' },
  ],
};
const manifest = {
  resources: [
    { name: 'order', source: 'stored', fields: [{ name: 'status', filter: true }] },
    { name: 'vault', source: 'stored' },
  ],
  inboxes: [
    mail,
    { name: 'oneWay', transitions: { open: ['waiting'], waiting: ['open'], closed: [] } },
    { name: 'seen' },
    { name: 'secret' },
  ],
  actions: [
    { name: 'ship', ...order, when: { field: 'record.fields.status', op: 'eq', value: 'paid' } },
    { name: 'strict', ...order, offline: 'refuse' },
    { name: 'approved', ...order, approval: true },
    { name: 'later', background: true },
    { name: 'now', danger: 'low', input: { type: 'object', properties: { n: { type: 'number', default: 3 } } } },
  ],
  flags: [
    { key: 'plain', kind: 'boolean', default: false },
    { key: 'approved', kind: 'boolean', default: false, approval: true },
  ],
} as const;
/** With a further state and inbox, which are retired once the manifest above is declared. */
const formerly = {
  ...manifest,
  inboxes: [
    { ...mail, states: [...mail.states, { name: 'parked', kind: 'waiting' }] },
    ...manifest.inboxes.slice(1),
    { name: 'gone' },
  ],
} as const;
const grants = [
  { on: 'inbox:mail', can: ['*'] },
  { on: 'inbox:oneWay', can: ['state', 'tags'] },
  { on: 'inbox:gone', can: ['*'] },
  { on: 'inbox:seen', can: ['see'] },
  { on: 'resource:order', can: ['see'] },
  ...['ship', 'strict', 'approved'].map((name) => ({ on: `action:${name}`, can: ['run'] })),
];

type Operation = Readonly<Record<string, unknown>> & { readonly type: string };
interface Made {
  readonly inbox: string;
  readonly record: 'paid' | 'unpaid' | 'lost' | 'vault' | null;
  readonly state: string | null;
  readonly snoozed: boolean;
  readonly tags: readonly string[];
}
type Outcomes = Readonly<Record<'changed' | 'unchanged' | 'forbidden' | 'not_found' | 'failed', number>>;

describe('dry runs', () => {
  let world: World;
  let admin: Client;
  let person: Client;
  let key: Client;
  let app: FakeApp;
  const clients = new Map<string, Client>();

  before(async () => {
    world = await newWorld({ manifest: formerly });
    await world.role('clerk', grants);
    await world.role('mover', [{ on: 'inbox:*', can: ['state'] }]);
    [admin, person] = [await world.agent('admin'), await world.person('operator')];
    for (const role of ['admin', 'clerk', 'mover', 'viewer'])
      for (const mode of ['normal', 'supervised'] as const)
        clients.set(`${role} ${mode}`, await world.agent(role, { mode }));
    await world.records('order', [
      { id: 'paid', title: 'Paid', fields: { status: 'paid' } },
      { id: 'unpaid', title: 'Unpaid', fields: { status: 'open' } },
    ]);
    await world.records('vault', [{ id: 'vault', title: 'Vault' }]);
    app = await world.app(done, { manifest: formerly });
    key = await world.appKey();
  });
  after(() => world.close());

  const itemArb: fc.Arbitrary<Made> = fc.record({
    inbox: fc.constantFrom('mail', 'mail', 'mail', 'oneWay', 'seen', 'secret'),
    record: fc.constantFrom('paid', 'unpaid', 'lost', 'vault', null),
    state: fc.constantFrom('waiting', 'closed', null),
    snoozed: fc.boolean(),
    tags: fc.subarray(['a', 'b']),
  });
  const operationArb: fc.Arbitrary<Operation> = fc.oneof(
    fc.constantFrom('open', 'waiting', 'closed', 'parked', 'nowhere').map((state) => ({ type: 'state', state })),
    fc.constantFrom('none', 'blind', null).map((assignee) => ({ type: 'assign', assignee })),
    fc.constantFrom(['a'], ['c']).map((add) => ({ type: 'tags', add, remove: ['b'] })),
    fc.constantFrom(hour, null).map((ms) => ({ type: 'snooze', until: ms === null ? null : Date.now() + 10 * ms })),
    fc.constantFrom('ship', 'strict', 'approved').map((action) => ({ type: 'action', action })),
  );

  const make = async ({ inbox, record, state, snoozed, tags }: Made): Promise<string> => {
    const about = record === null ? {} : { record: { resource: record === 'vault' ? 'vault' : 'order', id: record } };
    // An app’s items may name records that come later.
    const { body } = await key.post('/items', { inbox, title: 'Item', tags, ...about });
    const { id } = body.item as { id: string };
    if (snoozed) await admin.post(`/items/${id}/snooze`, { until: Date.now() + hour });
    // A state that the inbox has not, or can't enter, leaves it open.
    if (state !== null) await admin.post(`/items/${id}/state`, { state });
    return id;
  };
  /** The outcomes of a dry run, by the names of results. */
  const ofDryRun = ({ wouldChange, unchanged, forbidden, notFound, failed }: Reply['body']): Outcomes => ({
    changed: wouldChange,
    unchanged,
    forbidden,
    not_found: notFound,
    failed,
  });
  const problemsOf = ({ problems }: Reply['body']): string[] =>
    (problems as { code: string; message: string; count: number }[])
      .map(({ code, message, count }) => `${String(count)} ${code}: ${message}`)
      .sort();
  interface Performed {
    readonly would: string;
    readonly outcomes: Outcomes;
    /** Why items did not change, with how many they are, in alphabetical order. */
    readonly problems: readonly string[];
  }
  /** Performs the bulk, approved where that is needed. */
  const perform = async (client: Client, ids: readonly string[], operation: Operation): Promise<Performed> => {
    const reply = await client.post('/bulk', { ids, operation });
    expect(reply.status, reply.text).to.equal(202);
    const { id } = reply.body.bulk as { id: string };
    if (reply.body.pending === true)
      expect((await person.post(`/approvals/${String(reply.body.approval)}/approve`)).status).to.equal(200);
    await until('the bulk is finished', async () => (await admin.get(`/bulk/${id}`)).body.bulk.finishedAt !== null);
    const { results } = (await admin.get(`/bulk/${id}/results?limit=200`)).body;
    const counts = { changed: 0, unchanged: 0, forbidden: 0, not_found: 0, failed: 0 };
    const whys = new Map<string, number>();
    for (const { outcome, code, error } of results as { outcome: keyof typeof counts; code: string; error: string }[]) {
      counts[outcome] += 1;
      if (outcome === 'changed' || outcome === 'unchanged') continue;
      const why = `${code}: ${error}`;
      whys.set(why, (whys.get(why) ?? 0) + 1);
    }
    return {
      would: reply.body.pending === true ? 'pend' : 'run',
      outcomes: counts,
      problems: [...whys].map(([why, count]) => `${String(count)} ${why}`).sort(),
    };
  };

  it('of bulks say what becomes of each item, also for supervised agents, hidden, closed, snoozed and retired items', async () => {
    // What is in a state or an inbox that is retired now was put there before.
    const retired = await Promise.all([
      make({ inbox: 'gone', record: 'paid', state: null, snoozed: true, tags: [] }),
      make({ inbox: 'mail', record: 'paid', state: 'parked', snoozed: false, tags: ['b'] }),
    ]);
    await app.close();
    app = await world.app(done, { manifest, startedAt: Date.now() + 1 });
    await until('the new manifest is known', async () => {
      await world.deps.directory.refresh();
      return world.deps.directory.environment('demo')?.definition.inboxes.get('gone')?.retired;
    });
    const blind = await world.person('mover', 'Blind');
    await fc.assert(
      fc.asyncProperty(
        fc.array(itemArb, { minLength: 1, maxLength: 5 }),
        operationArb,
        fc.constantFrom(...clients.keys()),
        async (wanted, given, who) => {
          const client = clients.get(who) as Client;
          const operation = given['assignee'] === 'blind' ? { ...given, assignee: blind.id } : given;
          const ids = [...(await Promise.all(wanted.map(make))), ...retired, unknown];
          const dry: Reply[] = [];
          for (const some of [ids, ...ids.map((id) => [id])])
            dry.push(await client.post('/bulk', { ids: some, operation, dryRun: true }));
          if (dry[0]?.status !== 200) {
            expect((await client.post('/bulk', { ids, operation })).status, who).to.equal(dry[0]?.status);
            return;
          }
          const [all, ...each] = dry.map(({ body }) => body);
          const seen = await Promise.all(ids.map(async (id) => (await client.get(`/items/${id}`)).status === 200));
          expect(all.matched, who).to.equal(seen.filter(Boolean).length);
          const { would, outcomes, problems } = await perform(client, ids, operation);
          const told = JSON.stringify([who, wanted, operation, all]);
          expect([all.would, all.pending], told).to.deep.equal([would, would === 'pend']);
          expect(ofDryRun(all), told).to.deep.equal(outcomes);
          expect(problemsOf(all), told).to.deep.equal(problems);
          expect(
            each.map(ofDryRun).reduce((sum, one) => add(sum, one)),
            told,
          ).to.deep.equal(outcomes);
        },
      ),
      { numRuns: 60 },
    );
  });
  const add = (a: Outcomes, b: Outcomes): Outcomes => ({
    changed: a.changed + b.changed,
    unchanged: a.unchanged + b.unchanged,
    forbidden: a.forbidden + b.forbidden,
    not_found: a.not_found + b.not_found,
    failed: a.failed + b.failed,
  });

  it('of flags say what the change would make of them, and what waits for a person', async () => {
    const ramp = { to: 50, over: hour, every: 60_000, at: null };
    const changeArb = fc.oneof(
      fc.constantFrom(true, false).map((value) => ({ value })),
      fc.constantFrom(10, null).map((rollout) => ({ rollout })),
      fc.constantFrom(ramp, null).map((given) => ({ ramp: given })),
    );
    const [normal, supervised] = [clients.get('admin normal') as Client, clients.get('admin supervised') as Client];
    await fc.assert(
      fc.asyncProperty(changeArb, fc.constantFrom('plain', 'approved'), fc.boolean(), async (change, flag, asks) => {
        const client = asks ? supervised : normal;
        const dry = await client.post(`/flags/${flag}`, { change, dryRun: true });
        expect(dry.status, dry.text).to.equal(200);
        const real = await client.post(`/flags/${flag}`, { change });
        const { would } = dry.body;
        expect(would).to.equal(real.status === 202 ? 'pend' : real.body.changed === true ? 'change' : 'nothing');
        if (real.status === 202) {
          const { approval } = (await person.get(`/approvals/${String(real.body.approval)}`)).body;
          expect(approval.replaced?.to ?? null).to.equal(dry.body.replaced?.to ?? null);
          expect((await person.post(`/approvals/${String(real.body.approval)}/approve`)).status).to.equal(200);
        } else expect(real.body.replaced ?? null).to.deep.equal(dry.body.replaced);
        const now = (await normal.get(`/flags/${flag}`)).body.flag;
        expect([now.value, now.rollout, now.ramp?.to]).to.deep.equal([
          dry.body.flag.value,
          dry.body.flag.rollout,
          dry.body.flag.ramp?.to,
        ]);
      }),
      { numRuns: 40 },
    );
  });

  it('of actions pass every check, say which way the run would go, and do nothing', async () => {
    const [normal, supervised] = [clients.get('admin normal') as Client, clients.get('admin supervised') as Client];
    const dry = async (body: object, client = normal): Promise<string> => {
      const { status, body: answer } = await client.post('/actions', { ...body, dryRun: true });
      return status === 200 ? String(answer.would) : `${String(status)} ${String(answer.code)}`;
    };
    const count = () =>
      world.sql('select (select count(*) from runs) as runs, (select count(*) from approvals) as asked');
    const before = await count();
    expect(await dry({ action: 'now' })).to.equal('409 confirmation_required');
    expect((await normal.post('/actions', { action: 'now', confirmed: true, dryRun: true })).body).to.deep.equal({
      dryRun: true,
      would: 'run',
      input: { n: 3 },
    });
    expect(await dry({ action: 'later' })).to.equal('start');
    expect(await dry({ action: 'later' }, supervised)).to.equal('pend');
    expect(await dry({ action: 'approved', record: 'paid' })).to.equal('pend');
    expect(await dry({ action: 'ship', record: 'unpaid' })).to.equal('409 conflict');
    expect(await dry({ action: 'ship', record: 'nothing' })).to.equal('404 not_found');
    const reader = await world.agent('admin', { mode: 'readonly' });
    expect(await dry({ action: 'later' }, reader)).to.equal('403 forbidden');
    const [denied] = (await admin.get(`/audit?actor=${reader.id}`)).body.entries;
    expect(denied).to.deep.include({ outcome: 'denied', after: { code: 'forbidden', dryRun: true } });
    await app.close();
    await until('the app is offline', async () => (await world.sql('select 1 from app_connections')).length === 0);
    expect(await dry({ action: 'ship', record: 'paid' })).to.equal('queue');
    expect(await dry({ action: 'strict', record: 'paid' })).to.equal('503 app_offline');
    const strict = await normal.post('/bulk', {
      ids: [await make({ inbox: 'mail', record: 'paid', state: null, snoozed: false, tags: [] })],
      operation: { type: 'action', action: 'strict' },
      dryRun: true,
    });
    expect(strict.body).to.include({ would: 'run', wouldChange: 0, failed: 1 });
    expect(await count()).to.deep.equal(before);
  });
});
