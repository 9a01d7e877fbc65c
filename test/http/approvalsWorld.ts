/** Shared set-up of the tests of approvals: a clerk who asks, a person who decides, and an app that keeps the refunds that it was sent. */
import { expect } from 'chai';
import { connectApp, type FakeApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

export const manifest = {
  resources: [
    { name: 'order', source: 'stored', fields: [{ name: 'status', filter: true }] },
    { name: 'vault', source: 'stored' },
  ],
  inboxes: [{ name: 'mail', reply: { via: 'app' } }, { name: 'secret' }],
  actions: [
    {
      name: 'refund',
      label: 'Refund',
      resource: 'order',
      approval: true,
      danger: 'high',
      when: { field: 'record.fields.status', op: 'eq', value: 'paid' },
      input: {
        type: 'object',
        properties: { amount: { type: 'number', description: 'Absent: all of it.' }, why: { type: 'string' } },
      },
    },
    { name: 'ping', label: 'Ping' },
    { name: 'strict', label: 'Strict', approval: true, offline: 'refuse' },
  ],
  flags: ['beta', 'shown'].map((key) => ({ key, kind: 'boolean', default: false, resource: 'order', approval: true })),
} as const;

export const clerk = [
  { on: 'inbox:mail', can: ['*'] },
  { on: 'resource:order', can: ['see'] },
  { on: 'action:refund', can: ['run'] },
  { on: 'action:ping', can: ['run'] },
  { on: 'action:strict', can: ['run'] },
  { on: 'flag:beta', can: ['change'] },
  { on: 'flag:shown', can: ['change'] },
];

interface RunParams {
  readonly run: string;
  readonly actor: { readonly id: string };
  readonly reason: string | null;
  readonly approvedBy: object | null;
}

/** To be called in a suite: opens the world before its tests and closes it after them. */
export const useApprovals = () => {
  let world: World;
  let agent: Client;
  let person: Client;
  let key: Client;
  let app: FakeApp;
  const ran: RunParams[] = [];
  const refund = (params: RunParams): object => {
    ran.push(params);
    return { message: 'Refunded.' };
  };

  /** Connects the app that makes refunds. */
  const connect = async (): Promise<void> => {
    app = await connectApp(key, { manifest, handlers: { 'action.run': refund } });
  };

  before(async () => {
    world = await newWorld({ manifest, env: { FLAG_APPROVAL_MS: '86400000' } });
    await world.role('clerk', clerk);
    [agent, person, key] = [await world.agent('clerk'), await world.person('operator'), await world.appKey()];
    await connect();
  });
  after(async () => {
    await app.close();
    await world.close();
  });

  let n = 0;
  /** Stores an order and returns its id. */
  const order = async (status = 'paid'): Promise<string> => {
    n += 1;
    await world.records('order', [{ id: `o${String(n)}`, title: `Order ${String(n)}`, fields: { status } }]);
    return `o${String(n)}`;
  };
  /** Requests a refund of an order, which a person has to approve. */
  const ask = async (record: string, client = agent, more: object = {}): Promise<{ approval: string; run: string }> => {
    const reply = await client.post('/actions', { action: 'refund', record, confirmed: true, ...more });
    expect(reply.status, reply.text).to.equal(202);
    expect(reply.body.pending).to.equal(true);
    return reply.body;
  };
  const codeOf = (reply: Reply): string => `${String(reply.status)} ${String(reply.body?.code)}`;
  const approvalOf = async (id: string, client = person): Promise<Reply['body']> =>
    (await client.get(`/approvals/${id}`)).body.approval;
  const runOf = async (id: string): Promise<Reply['body']> => (await agent.get(`/runs/${id}`)).body.run;
  const calls = (run: string): number => ran.filter((call) => call.run === run).length;

  return {
    ran,
    refund,
    connect,
    order,
    ask,
    codeOf,
    approvalOf,
    runOf,
    calls,
    get world() {
      return world;
    },
    get agent() {
      return agent;
    },
    get person() {
      return person;
    },
    get key() {
      return key;
    },
    get app() {
      return app;
    },
  };
};
