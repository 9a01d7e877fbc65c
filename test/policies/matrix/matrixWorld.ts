/** The world of the permission matrix: its two environments, its principals, and one thing of each kind for each column. */
import { readDocuments, type Documents } from '../../support/documented.ts';
import type { Client } from '../../support/http.ts';
import { newWorld, type World } from '../../support/world.ts';
import { personas, type Persona, type Thing } from './columns.ts';
import { manifest, otherManifest, record, serving, there } from './declared.ts';

export interface MatrixWorld {
  readonly clients: ReadonlyMap<Persona, Client>;
  readonly items: ReadonlyMap<Thing, string>;
  readonly bulks: ReadonlyMap<Thing, string>;
  readonly runs: ReadonlyMap<Thing, string>;
  /** By what is done to them and whose they are, as each can be decided only once. */
  readonly approvals: ReadonlyMap<string, string>;
  /** Fills what is above. */
  open(): Promise<{ readonly world: World; readonly documents: Documents }>;
  close(): Promise<void>;
}

export const newMatrixWorld = (): MatrixWorld => {
  let world: World;
  let documents: Documents;
  const clients = new Map<Persona, Client>();
  const items = new Map<Thing, string>([['no', 'itm_01jd0000000000000000000000']]);
  const bulks = new Map<Thing, string>([['no', 'blk_01jd0000000000000000000000']]);
  const runs = new Map<Thing, string>([['no', 'run_01jd0000000000000000000000']]);
  const approvals = new Map<string, string>();

  /** Makes a finished bulk that changed something, so that cancelling it is refused and undoing it isn't. */
  const finishedBulk = async (client: Client, item: string, tag: string): Promise<string> => {
    const { body } = await client.post('/bulk', { ids: [item], operation: { type: 'tags', add: [tag], remove: [] } });
    await world.settled();
    return body.bulk.id as string;
  };

  /** One request for approval of each kind for each of what may be done to it. */
  const askForApprovals = async (elsewhere: Client): Promise<void> => {
    const { admin, sup, pers } = Object.fromEntries(clients) as Record<Persona, Client>;
    for (const verb of ['get', 'approve', 'reject', 'cancel', 'comments', 'answer']) {
      const asked = (action: string): object => ({ action, record: record.id, input: { verb } });
      const wanted: readonly [Thing, Client, string, object][] = [
        ['sups', sup, `/items/${items.get('own') ?? ''}/notes`, { text: verb }],
        ['admins', admin, '/actions', asked('asked')],
        ['hidden', admin, '/actions', asked('hiddenAsked')],
        ['persons', pers, '/actions', asked('asked')],
        ['else', elsewhere, '/actions', asked('asked')],
      ];
      for (const [thing, client, path, body] of wanted)
        approvals.set(`${verb} ${thing}`, (await client.post(path, body)).body.approval);
    }
    const question = { text: 'Asked?', options: ['Yes', 'No'] };
    approvals.set('answer asked', (await admin.post('/questions', question)).body.approval);
    const bulk = { ids: [items.get('hidden')], operation: { type: 'action', action: 'hiddenAsked', input: {} } };
    approvals.set('get bulks', (await admin.post('/bulk', bulk)).body.approval);
  };

  const open = async (): Promise<{ world: World; documents: Documents }> => {
    world = await newWorld({ manifest });
    await world.environment('staging', otherManifest);
    documents = await readDocuments(world.base);
    const grants = [
      { on: 'resource:own', can: ['see'] },
      { on: 'page:own', can: ['see'] },
      { on: 'inbox:own', can: ['*'] },
      { on: 'inbox:readOnly', can: ['see'] },
      { on: 'flag:own', can: ['*'] },
      { on: 'flag:readOnly', can: ['see'] },
      { on: 'resource:served', can: ['see'] },
      { on: 'approvals', can: ['see'] },
      ...['own', 'free', 'served', 'asked', 'fresh', 'danger', 'background'].map((name) => ({
        on: `action:${name}`,
        can: ['run'],
      })),
    ];
    await world.role('clerk', grants);
    await world.role('nothing', []);
    const made: Readonly<Record<Persona, Client>> = {
      admin: await world.agent('admin'),
      oper: await world.agent('operator'),
      view: await world.agent('viewer'),
      clerk: await world.agent('clerk'),
      none: await world.agent('nothing'),
      read: await world.agent('clerk', { mode: 'readonly' }),
      sup: await world.agent('clerk', { mode: 'supervised' }),
      app: await world.appKey(),
      pers: await world.person('operator'),
      gone: await world.agent('admin'),
      away: await world.agent('admin', { environments: ['staging'] }),
    };
    for (const persona of personas) clients.set(persona, documents.of(made[persona]));
    const { admin, clerk, away } = made;
    for (const resource of ['own', 'hidden']) await world.records(resource, [record]);
    for (const inbox of ['own', 'readOnly', 'hidden'] as const)
      items.set(
        inbox,
        (await admin.post('/items', { inbox, title: inbox, record: { resource: 'own', id: record.id } })).body.item.id,
      );
    const elsewhere = world.elsewhere(away, 'staging');
    items.set('else', (await elsewhere.post('/items', { inbox: 'elsewhere', title: 'x' })).body.item.id);
    await world.records('elsewhere', [record], 'staging');
    await world.records('own', [record, { ...record, id: there }], 'staging');
    await world.app(serving);
    bulks.set('clerks', await finishedBulk(clerk, items.get('own') ?? '', 'clerks'));
    bulks.set('admins', await finishedBulk(admin, items.get('own') ?? '', 'admins'));
    bulks.set('else', await finishedBulk(elsewhere, items.get('else') ?? '', 'else'));
    const ran: readonly [Thing, Client, string][] = [
      ['clerks', clerk, 'own'],
      ['admins', admin, 'own'],
      ['seen', admin, 'seen'],
      ['hidden', admin, 'hidden'],
      ['else', elsewhere, 'own'],
    ];
    for (const [thing, client, action] of ran)
      runs.set(thing, (await client.post('/actions', { action, record: record.id })).body.run);
    await askForApprovals(elsewhere);
    await world.revoke(made.gone);
    return { world, documents };
  };
  const close = (): Promise<void> => world.close();

  return { clients, items, bulks, runs, approvals, open, close };
};
