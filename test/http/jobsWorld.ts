/** Shared set-up of the tests of background jobs over HTTP: a person who manages settings, and jobs as statements would have left them. */
import type { Client, Reply } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { newWorld, type World, type WorldOptions } from '../support/world.ts';

export const manifest = {
  ...testManifest,
  inboxes: [...testManifest.inboxes, { name: 'asked', triage: { rules: [], app: true } }],
  actions: [
    ...testManifest.actions,
    { name: 'hang', label: 'Hang', resource: 'customer', background: true, timeout: 60_000 },
    { name: 'ask', label: 'Ask', resource: 'customer', approval: true },
    { name: 'renew', label: 'Renew', resource: 'customer', background: true, offlineExpiry: 86_400_000 },
  ],
  flags: [{ key: 'new_checkout', kind: 'boolean', default: false }],
};

export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly about: { readonly type: string; readonly id: string; readonly sentence: string } | null;
  readonly why: string;
  readonly attempts: number;
  readonly error: string | null;
  readonly retryable: boolean;
  readonly dueAt: number | null;
}

/** To be called in a suite: opens the world before its tests and closes it after them. */
export const useJobs = (options: WorldOptions = {}) => {
  let world: World;
  let boss: Client;
  let staged = 0;

  before(async () => {
    world = await newWorld({ manifest, ...options });
    boss = await world.person('admin', 'Boss', { fresh: true });
  });
  after(() => world.close());

  const read = async (query = '', client = boss): Promise<Reply> => client.get(`/settings/jobs${query}`);
  const list = async (query = '', client = boss): Promise<readonly Job[]> => (await read(query, client)).body.jobs;
  const retry = (id: string, body?: object, headers = {}): Promise<Reply> =>
    boss.post(`/settings/jobs/${id}/retry`, body, { headers });
  const newItem = async (inbox: string, title: string): Promise<string> =>
    (await boss.post('/items', { inbox, title })).body.item.id as string;
  /** A job as its statements would have left it, due in a year unless `columns` say else. */
  const stage = async (columns: Readonly<Record<string, unknown>>): Promise<string> => {
    staged += 1;
    const id = `job_${String(staged).padStart(26, '0')}`;
    const row: Readonly<Record<string, unknown>> = {
      id,
      env: 1,
      name: 'triageItem',
      payload: {},
      subject: null,
      due_at: Date.now() + 31_536_000_000,
      created_at: 1,
      ...columns,
    };
    const names = Object.keys(row);
    await world.sql(
      `insert into staged_jobs (${names.join(', ')}) values (${names.map((_, i) => `$${String(i + 1)}`).join(', ')})`,
      Object.values(row),
    );
    return id;
  };

  return {
    read,
    list,
    retry,
    newItem,
    stage,
    get world() {
      return world;
    },
    get boss() {
      return boss;
    },
  };
};
