/** The canary's world: an admin plants the word in items, records, bulks, runs, approvals, flags and elsewhere, while the clerk listens. */
import { expect } from 'chai';
import { readDocuments, type Documents } from '../../support/documented.ts';
import type { Client } from '../../support/http.ts';
import { openLive, type Recorder } from '../../support/live.ts';
import { newWorld, type World } from '../../support/world.ts';
import { grants, manifest, talkative, thing, word } from './declared.ts';

export interface Planted {
  readonly world: World;
  readonly documents: Documents;
  readonly admin: Client;
  readonly clerk: Client;
  /** A clerk who sees the audit log too. */
  readonly auditor: Client;
  /** The messages that the clerk got since the offset `start`. */
  readonly live: Recorder;
  readonly start: string;
  /** Items in an inbox that the clerk can't see, and items it sees of a record that it can't. */
  readonly hidden: readonly string[];
  readonly linked: readonly string[];
  readonly hiddenBulk: string;
  readonly ownBulk: string;
  readonly hiddenPerson: string;
  /** Shared views of what the clerk can't see. */
  readonly hiddenViews: readonly string[];
  /** Runs and approvals of all kinds, seen by the clerk or not. */
  readonly runs: readonly string[];
  readonly hiddenRuns: readonly string[];
  readonly approvals: readonly string[];
  readonly hiddenApprovals: readonly string[];
}

export const newCanaryWorld = (): { open(): Promise<Planted>; close(): Promise<void> } => {
  let world: World;
  let documents: Documents;
  let admin: Client;
  let clerk: Client;
  let auditor: Client;
  let live: Recorder;
  let start = '';
  let hidden: string[] = [];
  let linked: string[] = [];
  let hiddenBulk = '';
  let ownBulk = '';
  let hiddenPerson = '';
  let hiddenViews: string[] = [];
  let runs: string[] = [];
  let hiddenRuns: string[] = [];
  let approvals: string[] = [];
  let hiddenApprovals: string[] = [];

  /** Runs and approvals: of hidden things with the word in them, and of seen things that are about hidden ones. */
  const plant = async (): Promise<void> => {
    const [secret = '', [seen = '']] = [hidden[0], linked];
    const supervised = await world.agent('admin', { mode: 'supervised', name: 'Supervised' });
    const boss = await world.person('admin', 'Boss');
    const made = async (client: Client, path: string, body: object, kind: 'run' | 'approval'): Promise<string> => {
      const { body: answer, text } = await client.post(path, body);
      const id = answer?.[kind] as unknown;
      expect(id, `${path} ${text}`).to.be.a('string');
      return String(id);
    };
    const acted = (body: object): Promise<string> => made(admin, '/actions', body, 'run');
    const asked = (client: Client, path: string, body: object): Promise<string> => made(client, path, body, 'approval');
    const note = { note: word };
    hiddenRuns = [
      await acted({ action: `${word}Action`, input: { a: word } }),
      await acted({ action: `${word}Action`, input: { a: word }, item: seen }),
      await acted({ action: `${word}OnThing`, record: thing.id, input: { a: word }, confirmed: true, item: secret }),
      await acted({ action: `${word}OnThing`, record: thing.id, input: { a: word }, confirmed: true, item: seen }),
      await acted({ action: 'open', record: thing.id, item: seen }),
    ];
    runs = [
      ...hiddenRuns,
      await acted({ action: 'greet', record: 'c1', item: secret }),
      await acted({ action: 'greet', record: 'c1', item: seen }),
      await acted({ action: 'slow', record: 'c1', item: secret }),
      (await clerk.post('/actions', { action: 'greet', record: 'c1', item: seen })).body.run as string,
    ];
    const onThing = { action: `${word}Asked`, record: thing.id };
    const tags = { type: 'tags', add: [word], remove: [] };
    hiddenApprovals = [
      await asked(admin, '/actions', { ...onThing, input: { a: word } }),
      await asked(admin, '/actions', { ...onThing, input: { b: word }, item: seen }),
      await asked(admin, '/actions', { ...onThing, input: { c: word }, item: secret }),
      await asked(admin, '/actions', { action: 'asked', record: 'c1', input: { a: 1 }, item: secret }),
      await asked(supervised, '/actions', { action: `${word}Action`, input: { a: word }, item: seen }),
      await asked(supervised, `/items/${secret}/notes`, { text: word }),
      await asked(supervised, `/items/${secret}/tags`, { add: [`${word}x`] }),
      await asked(supervised, '/items', { inbox: `${word}Inbox`, title: word, data: { [word]: word } }),
      await asked(supervised, '/bulk', { ids: hidden, operation: tags }),
      await asked(supervised, '/bulk', { ids: [seen, secret], operation: tags }),
      await asked(supervised, '/bulk', {
        ids: [seen],
        operation: { type: 'action', action: `${word}OnThing`, input: { a: word }, confirmed: true },
      }),
      await asked(supervised, `/flags/${word}Flag`, { change: { value: `${word}2` } }),
      await asked(admin, `/flags/${word}Asked`, { change: { value: true } }),
    ];
    approvals = [
      ...hiddenApprovals,
      // Of what the clerk sees, but for the record.
      await asked(supervised, `/items/${seen}/state`, { state: 'closed' }),
      await asked(supervised, '/items', { inbox: 'mail', title: 'new', record: thing, links: [thing] }),
      await asked(admin, '/actions', { action: 'asked', record: 'c1' }),
      await asked(clerk, '/actions', { action: 'asked', record: 'c1', input: { mine: true } }),
    ];
    // Two of each kind stay pending.
    for (const id of [0, 3, 5, 8, 11].map((i) => hiddenApprovals[i] ?? ''))
      await boss.post(`/approvals/${id}/approve`, note);
    for (const id of [1, 4, 6].map((i) => hiddenApprovals[i] ?? '')) await boss.post(`/approvals/${id}/reject`, note);
    await admin.post(`/flags/${word}Flag`, {
      change: {
        value: word,
        targets: { [word]: word },
        rules: [{ when: { field: word, op: 'eq', value: word }, value: word }],
      },
    });
    await world.settled();
  };

  const open = async (): Promise<Planted> => {
    world = await newWorld({ manifest });
    await world.environment(`${word}Environment`);
    documents = await readDocuments(world.base);
    await world.role('clerk', grants);
    await world.role(`${word}Role`, [{ on: `inbox:${word}Inbox`, can: ['*'] }]);
    await world.role('auditor', [...grants, { on: 'audit', can: ['see'] }]);
    admin = await world.agent('admin', { environments: ['*'] });
    clerk = documents.of(await world.agent('clerk'));
    auditor = documents.of(await world.agent('auditor'));
    const insider = await world.agent(`${word}Role`, { name: `${word} agent` });
    hiddenPerson = (await world.person(`${word}Role`, `${word} person`)).id;
    await world.records(`${word}Thing`, [
      { id: `${word}-1`, title: `${word} thing`, fields: { secret: word, [`${word}Field`]: word } },
    ]);
    await world.records('customer', [{ id: 'c1', title: 'Ada' }]);

    live = await openLive(clerk);
    start = (await clerk.get('/items')).headers.get('x-live-offset') ?? '';

    const inbox = `${word}Inbox`;
    await world.app(talkative(() => [...hidden, ...linked]));
    const make = async (body: object, client = admin): Promise<string> =>
      (await client.post('/items', body)).body.item.id as string;
    hidden = [
      await make({
        inbox,
        title: `${word} title`,
        tags: [word],
        data: { [word]: word },
        record: thing,
        links: [thing],
        key: word,
        user: word,
      }),
      await make({
        inbox,
        title: `${word} title again`,
        tags: [word],
        data: { [word]: `${word} again` },
        record: thing,
        links: [thing],
        key: word,
        user: `${word}2`,
      }),
      await make({ inbox, title: 'by an insider' }, insider),
    ];
    linked = [
      await make({
        inbox: 'mail',
        title: 'Of a hidden record',
        record: thing,
        links: [thing, { resource: 'customer', id: 'c1' }],
        key: 'linked',
      }),
      await make({ inbox: 'bugs', title: 'Of a hidden record', record: thing }),
    ];
    // More pages of occurrences than one of an item that the clerk sees, each reported with what it doesn't.
    await make({ inbox: 'mail', title: 'Reported again', record: thing, links: [thing], key: 'linked' });
    for (const id of hidden) {
      await admin.post(`/items/${id}/notes`, { text: word });
      await admin.post(`/items/${id}/reply`, { subject: word, text: word });
      await admin.post(`/items/${id}/tags`, { add: [`${word}-tag`] });
      await admin.post(`/items/${id}/assign`, { assignee: hiddenPerson });
      await insider.post(`/items/${id}/triage`, { answers: { [word]: word }, reason: word });
      await admin.post(`/items/${id}/state`, { state: 'closed' });
      await admin.post(`/items/${id}/state`, { state: `${word}State` });
    }
    await plant();
    hiddenBulk = (
      await admin.post('/bulk', { ids: hidden, operation: { type: 'tags', add: [`${word}-bulk`], remove: [] } })
    ).body.bulk.id;
    ownBulk = (
      await clerk.post('/bulk', {
        ids: [...hidden, linked[0], linked[1]],
        operation: { type: 'state', state: 'waiting' },
      })
    ).body.bulk.id;
    const saver = await world.person('admin', 'Saver');
    const save = async (name: string, body: object): Promise<string> =>
      (await saver.post('/me/views', { name, query: {}, shared: true, ...body })).body.view.id as string;
    hiddenViews = [
      await save(`${word} inbox`, { inbox }),
      await save(`${word} record`, { inbox: 'mail', query: { record: `${word}Thing:${word}-1` } }),
      await save(`${word} states`, { query: { state: [`${word}State`] } }),
    ];
    const there = world.elsewhere(admin, `${word}Environment`);
    await there.post('/items', { inbox: 'mail', title: word, tags: [word] });
    await world.settled();
    return {
      world,
      documents,
      admin,
      clerk,
      auditor,
      live,
      start,
      hidden,
      linked,
      hiddenBulk,
      ownBulk,
      hiddenPerson,
      hiddenViews,
      runs,
      hiddenRuns,
      approvals,
      hiddenApprovals,
    };
  };
  const close = async (): Promise<void> => {
    await live.close();
    await world.close();
  };

  return { open, close };
};
