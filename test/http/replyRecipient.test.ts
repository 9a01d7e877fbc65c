/** Whom a reply goes to: what its dry run and its answer tell, and when they warn. */
import { expect } from 'chai';
import type { Client, Reply } from '../support/http.ts';
import { callTool } from '../support/tools.ts';
import { newWorld, type World } from '../support/world.ts';

const smtp = { via: 'smtp', from: 'support@example.com', to: '{{item.fields.email}}' } as const;
/** These inboxes give no warnings about claims. test/claims tests those. */
const unbound = { claims: 'off', unseen: 'allow' } as const;
const manifest = {
  resources: [
    { name: 'customer', source: 'stored', fields: [{ name: 'email' }] },
    { name: 'order', source: 'stored' },
    { name: 'vault', source: 'stored' },
  ],
  inboxes: [
    { name: 'mail', reply: smtp, ...unbound },
    { name: 'strict', reply: smtp, reasonRequired: true, ...unbound },
    { name: 'chat', reply: { via: 'app' }, ...unbound },
    { name: 'mute' },
  ],
} as const;
const customer = { resource: 'customer', id: 'ana' } as const;
const unknown = 'itm_01jd0000000000000000000000';

describe('the recipient of a reply', () => {
  let world: World;
  let admin: Client;
  let clerk: Client;
  let supervised: Client;

  before(async () => {
    world = await newWorld({ manifest, workers: false });
    await world.role('clerk', [
      { on: 'inbox:mail', can: ['reply', 'note'] },
      { on: 'inbox:mute', can: ['see'] },
    ]);
    admin = await world.agent('admin');
    clerk = await world.agent('clerk');
    supervised = await world.agent('admin', { mode: 'supervised' });
    await world.records('customer', [
      { id: 'ana', title: 'Ana', fields: { email: 'Ana@Example.com' } },
      { id: 'bare', title: 'Bare', fields: { email: null } },
    ]);
    await world.records('order', [{ id: '1', title: 'Order 1', fields: { 'E-Mail': 'shop@example.com' } }]);
    await world.records('vault', [{ id: 'v', title: 'Vault', fields: { email: 'hidden@example.com' } }]);
  });
  after(() => world.close());

  const make = async (inbox: string, more: object = {}): Promise<string> => {
    const { body } = await admin.post('/items', {
      inbox,
      title: 'AW: Invoice',
      data: { email: 'ana@example.com' },
      ...more,
    });
    return body.item.id as string;
  };
  const dry = (id: string, body: object = {}, client = admin): Promise<Reply> =>
    client.post(`/items/${id}/reply`, { dryRun: true, ...body });
  const warned = ({ body }: Reply): string[] => (body.warnings as { code: string }[]).map(({ code }) => code);
  const countEntries = async (id: string): Promise<number> =>
    ((await admin.get(`/items/${id}/timeline`)).body.entries as unknown[]).length;

  it('stands in the dry run, which does nothing and needs no text', async () => {
    const id = await make('mail');
    const read = async () => ({ ...(await admin.get(`/items/${id}`)).body, seen: null });
    const before = await read();
    const reply = await dry(id);
    expect([reply.status, reply.body]).to.deep.equal([
      200,
      { dryRun: true, would: 'change', to: 'ana@example.com', subject: 'AW: Invoice', warnings: [] },
    ]);
    expect((await dry(id, { text: 'x', subject: 'Other', then: { state: 'closed' } })).body.subject).to.equal('Other');
    expect((await dry(id, {}, supervised)).body.would).to.equal('pend');
    expect(await read()).to.deep.equal(before);
    expect(await world.sql('select 1 from staged_jobs')).to.deep.equal([]);
    expect((await admin.get('/approvals')).body.approvals).to.deep.equal([]);
  });

  it('stands in the answer, and is null where the app sends the reply', async () => {
    const id = await make('mail', { data: { email: '"Ana, of <Example>" <ana@example.com>' } });
    expect((await dry(id)).status).to.equal(422);
    const named = await make('mail', { data: { email: 'Ana Lind <ana@example.com>' } });
    const reply = await admin.post(`/items/${named}/reply`, { text: 'Hello' });
    expect([reply.status, reply.body.to, reply.body.warnings]).to.deep.equal([202, 'ana@example.com', []]);
    const chat = await make('chat');
    expect([
      (await dry(chat)).body.to,
      (await admin.post(`/items/${chat}/reply`, { text: 'x' })).body.to,
    ]).to.deep.equal([null, null]);
  });

  it('is the same in the repeated answer of an idempotency key, and a dry run takes a key of its own', async () => {
    const id = await make('mail', { record: customer, data: { email: 'eve@example.org' } });
    const options = { headers: { 'idempotency-key': `k-${id}` } };
    const first = await admin.post(`/items/${id}/reply`, { text: 'Hello' }, options);
    expect(warned(first)).to.deep.equal(['recipient_differs']);
    const again = await admin.post(`/items/${id}/reply`, { text: 'Hello' }, options);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    expect(again.text).to.equal(first.text);
    expect((await admin.post(`/items/${id}/reply`, { dryRun: true, text: 'Hello' }, options)).body.code).to.equal(
      'idempotency_mismatch',
    );
  });

  it('is warned of where it is not the address of the linked record that the caller sees', async () => {
    const eve = { data: { email: 'eve@example.org' } };
    const asked = async (more: object, client = admin) => warned(await dry(await make('mail', more), {}, client));
    expect(await asked({ record: customer }), 'the same but for capitals').to.deep.equal([]);
    expect(await asked({ record: customer, ...eve })).to.deep.equal(['recipient_differs']);
    expect(await asked({ links: [customer], ...eve })).to.deep.equal(['recipient_differs']);
    expect(await asked({ record: { resource: 'order', id: '1' }, links: [customer] }), 'one of them').to.deep.equal([]);
    expect(await asked({ record: { resource: 'order', id: '1' } })).to.deep.equal(['recipient_differs']);
    expect(await asked({ record: { resource: 'customer', id: 'bare' } })).to.deep.equal([]);
    expect(await asked({ record: { resource: 'vault', id: 'v' } }, clerk), 'not seen').to.deep.equal([]);
    const { body } = await dry(await make('mail', { record: customer, ...eve }));
    expect(body.warnings[0].message).to.equal(
      'The reply goes to eve@example.org; the address of the linked record is Ana@Example.com.',
    );
  });

  it('is said to be the app’s choice where the app sends the reply, with the item’s address and that of the record', async () => {
    const said = async (more: object): Promise<unknown> => (await dry(await make('chat', more))).body.warnings;
    const byApp = (rest: string) => ({
      code: 'sent_by_app',
      message: `The app chooses the recipient; the item has ${rest}.`,
    });
    expect(await said({})).to.deep.equal([byApp('ana@example.com')]);
    expect(await said({ data: {} })).to.deep.equal([byApp('no address')]);
    expect(await said({ data: {}, record: customer })).to.deep.equal([byApp('no address')]);
    expect(await said({ record: customer })).to.have.length(1);
    expect(await said({ record: customer, data: { email: 'eve@example.org' } })).to.deep.equal([
      byApp('eve@example.org'),
      {
        code: 'recipient_differs',
        message: 'The item has the address eve@example.org; the address of the linked record is Ana@Example.com.',
      },
    ]);
    const chat = await make('chat', { record: customer, data: { email: 'eve@example.org' } });
    expect(warned(await admin.post(`/items/${chat}/reply`, { text: 'x' }))).to.deep.equal([
      'sent_by_app',
      'recipient_differs',
    ]);
    const { next } = (await callTool(admin, 'reply_to_item', { id: chat, text: 'y' })).body as { next: string };
    expect(next).to.include('The item has the address eve@example.org').and.not.include('{{');
    const tried = (await callTool(admin, 'reply_to_item', { id: chat, dryRun: true })).body as Record<string, unknown>;
    expect(tried['hint']).to.include('The app chooses the recipient').and.include('eve@example.org; the address');
    expect(tried).to.not.have.any.keys('warnings', 'to');
  });

  it('is warned of places of a template that nothing fills in, in the dry run, the answer and the tool', async () => {
    const id = await make('mail');
    const warning = {
      code: 'unfilled',
      message: 'The reply has {{name}}, {{ order.id }}, which nothing fills in: it is sent as it is.',
    };
    const body = { subject: 'For {{name}}', text: 'Dear {{name}}, about {{ order.id }}: {{}} { {a} } {{b' };
    expect((await dry(id, body)).body.warnings).to.deep.equal([warning]);
    expect((await admin.post(`/items/${id}/reply`, body)).body.warnings).to.deep.equal([warning]);
    expect((await dry(id, { text: 'Dear Ana {}' })).body.warnings).to.deep.equal([]);
    const tried = (await callTool(admin, 'reply_to_item', { id, ...body, dryRun: true })).body as { hint: string };
    expect(tried.hint).to.equal(warning.message);
    const sent = (await callTool(admin, 'reply_to_item', { id, ...body, text: 'Hi {{name}}' })).body as {
      next: string;
    };
    expect(sent.next).to.include('ana@example.com. The reply has {{name}}, which nothing fills in');
  });

  it('is asked for with the checks of a real reply', async () => {
    const answers = async (id: string, body: object, client = admin) => {
      const { status, body: answer } = await dry(id, body, client);
      return [status, answer.code];
    };
    const mail = await make('mail');
    expect(await answers(await make('mute'), {})).to.deep.equal([409, 'conflict']);
    expect(await answers(await make('mute'), {}, clerk)).to.deep.equal([403, 'forbidden']);
    expect(await answers(mail, { then: { state: 'closed' } }, clerk)).to.deep.equal([403, 'forbidden']);
    expect(await answers(await make('chat'), {}, clerk)).to.deep.equal([404, 'not_found']);
    expect(await answers(unknown, {})).to.deep.equal([404, 'not_found']);
    expect(await answers(await make('mail', { data: {} }), {})).to.deep.equal([422, 'action_failed']);
    expect(await answers(await make('strict', { reason: 'made' }), {})).to.deep.equal([400, 'invalid']);
    expect(await answers(await make('strict', { reason: 'made' }), { reason: 'asked' })).to.deep.equal([
      200,
      undefined,
    ]);
    expect(await answers(mail, {}, await world.agent('admin', { mode: 'readonly' }))).to.deep.equal([403, 'forbidden']);
    for (const body of [
      { dryRun: 1 },
      { dryRun: true, text: 5 },
      { dryRun: true, text: '' },
      { dryRun: false },
      { text: null },
    ])
      expect(await answers(mail, body), JSON.stringify(body)).to.deep.equal([400, 'invalid']);
    expect(await countEntries(mail)).to.equal(1);
  });
});
