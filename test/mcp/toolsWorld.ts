/** Shared set-up of the tests of tools: clients of the Model Context Protocol, and an app whose outcome each test sets. */
import { type FakeApp } from '../support/app.ts';
import type { Client } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';
import { connectTools, type Tools } from './client.ts';
import { clerkGrants, manifest } from './manifest.ts';

type Outcome = (params: { action: string; input: unknown; record: { id: string } | null }) => unknown;

/** To be called in a suite: opens the world before its tests and closes it after them. */
export const useTools = () => {
  let world: World;
  let admin: Client;
  let clerk: Client;
  let person: Client;
  let app: FakeApp;
  const open: Tools[] = [];
  /** What the app does when it is called to run an action. */
  let outcome: Outcome = () => ({
    message: 'Done.',
    blocks: [],
  });

  const toolsOf = async (...given: Parameters<typeof connectTools>): Promise<Tools> => {
    const tools = await connectTools(...given);
    open.push(tools);
    return tools;
  };
  const online = async (): Promise<void> => {
    app = await world.app({
      'action.run': (params: Parameters<typeof outcome>[0]) => outcome(params),
      'reply.send': () => ({}),
    });
  };
  const ranOf = (action: string): unknown[] =>
    app.received.filter(
      ({ method, params }) => method === 'action.run' && (params as { action: string }).action === action,
    );
  const make = async (client: Client = clerk, more: object = {}): Promise<string> =>
    (await client.post('/items', { inbox: 'mail', title: 'A question', ...more })).body.item.id as string;

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', clerkGrants);
    await world.role('nothing', []);
    admin = await world.agent('admin');
    clerk = await world.agent('clerk');
    person = await world.person('operator', 'Ana Lind');
    await world.records('customer', [
      { id: 'c1', title: 'Ada', fields: { email: 'ana@example.com', seats: 3 } },
      { id: 'c2', title: 'Bo', fields: { seats: 9 } },
    ]);
    await world.records('order', [{ id: 'o1', title: 'Order 1', fields: { customer: 'c1' } }]);
    await online();
    await until(
      'the records are found',
      async () => (await clerk.get('/resources/customer?q=ad')).body.records.length === 1,
    );
  });
  after(async () => {
    for (const tools of open) await tools.close();
    await app.close();
    await world.close();
  });
  beforeEach(() => {
    outcome = () => ({ message: 'Done.', blocks: [] });
  });

  return {
    toolsOf,
    online,
    ranOf,
    make,
    get world() {
      return world;
    },
    get admin() {
      return admin;
    },
    get clerk() {
      return clerk;
    },
    get person() {
      return person;
    },
    get app() {
      return app;
    },
    get outcome() {
      return outcome;
    },
    set outcome(other: Outcome) {
      outcome = other;
    },
  };
};
