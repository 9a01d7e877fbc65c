/** Shared set-up of the tests of records over HTTP: resources that are stored and one that the app serves, with records, and who reads them. */
import { expect } from 'chai';
import { readDocuments } from '../../support/documented.ts';
import type { Client, Reply } from '../../support/http.ts';
import { clerkGrants, testManifest } from '../../support/manifest.ts';
import { newWorld, type World } from '../../support/world.ts';

const field = (name: string, type: string, more: object = {}): object => ({
  name,
  type,
  filter: true,
  sort: true,
  ...more,
});

export const manifest = {
  ...testManifest,
  resources: [
    {
      name: 'customer',
      label: 'Customers',
      source: 'stored',
      fields: [
        field('email', 'text', { search: true, sort: false }),
        field('plan', 'text'),
        field('seats', 'number'),
        field('mrr', 'money'),
        field('since', 'time'),
        field('vip', 'boolean', { sort: false }),
        { name: 'inner', type: 'text' },
      ],
      relations: [
        { name: 'orders', resource: 'order', field: 'customer' },
        { name: 'payments', resource: 'payment', field: 'customer' },
        { name: 'vaults', resource: 'vault', field: 'customer' },
      ],
      blocks: [{ type: 'text', title: 'Who', text: '{{record.title}} <{{record.fields.email}}>' }],
    },
    {
      name: 'order',
      source: 'stored',
      fields: [field('total', 'money')],
      relations: [
        { name: 'customer', resource: 'customer', key: 'customer' },
        { name: 'several', resource: 'customer', key: 'customers' },
      ],
    },
    {
      name: 'payment',
      source: 'app',
      fields: [field('amount', 'money'), { name: 'customer', filter: true }],
      relations: [{ name: 'refunds' }, { name: 'customer', resource: 'customer', key: 'customer' }],
    },
    { name: 'vault', source: 'stored', fields: [] },
  ],
  actions: [
    ...testManifest.actions,
    {
      name: 'refund',
      label: 'Refund',
      resource: 'customer',
      when: { field: 'record.fields.plan', op: 'eq', value: 'Team' },
      defaults: { to: '{{record.fields.email}}' },
      input: { type: 'object' },
    },
  ],
};
const grants = [
  ...clerkGrants,
  { on: 'resource:order', can: ['see'] },
  { on: 'resource:payment', can: ['see'] },
  { on: 'action:refund', can: ['run'] },
];

/** Returns the value as JSON in a parameter of a query. */
export const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value));

/** Returns the ids of a page of records. */
export const idsOf = ({ status, body, text }: Reply): string[] => {
  expect(status, text).to.equal(200);
  return (body.records as { id: string }[]).map(({ id }) => id);
};

export interface RecordsWorld {
  readonly world: World;
  readonly app: Client;
  readonly admin: Client;
  readonly clerk: Client;
  /** An agent whose role may do nothing. */
  readonly nobody: Client;
  /** Stores and deletes records as the app does. */
  put(resource: string, records: readonly object[], deleted?: readonly string[]): Promise<Reply>;
}

export const openRecordsWorld = async (): Promise<RecordsWorld> => {
  const world = await newWorld({ manifest });
  await world.role('clerk', grants);
  await world.role('nothing', []);
  const documents = await readDocuments(world.base);
  const app = documents.of(await world.appKey());
  const put = async (resource: string, records: readonly object[], deleted: readonly string[] = []): Promise<Reply> =>
    app.post(`/resources/${resource}/records`, { records, deleted });
  const admin = documents.of(await world.agent('admin'));
  const clerk = documents.of(await world.agent('clerk'));
  const nobody = documents.of(await world.agent('nothing'));
  const plans = ['Team', 'Free', 'Business'];
  await put(
    'customer',
    Array.from({ length: 30 }, (_, n) => ({
      id: `c_${String(n).padStart(2, '0')}`,
      title: `Customer ${String(n).padStart(2, '0')}`,
      subtitle: n === 3 ? 'Lindgren' : null,
      updatedAt: 1_000 + n,
      fields: {
        email: `c${String(n)}@example.com`,
        plan: plans[n % 3],
        seats: n,
        vip: n < 2,
        inner: 'x',
        ...(n % 2 === 0 ? { mrr: n * 10.5 } : {}),
      },
    })),
  );
  await put(
    'order',
    Array.from({ length: 5 }, (_, n) => ({
      id: `o/${String(n)}`,
      title: `Order ${String(n)}`,
      fields: { total: n, customer: n < 3 ? 'c_01' : 'c_02', customers: ['c_01', 'c_03', 'none'] },
    })),
  );
  await put('vault', [{ id: 'v', title: 'Gold', fields: { customer: 'c_01' } }]);
  return { world, app, admin, clerk, nobody, put };
};
