/**
 * Random `PATCH /items/:id` and bulks of `update`, held against a model of a few lines and against their dry runs: each says
 * beforehand what happens and writes nothing. `PATCH_SEED` runs others.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Client, Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';
import {
  clerkVerbs,
  decide,
  hour,
  keyOf,
  manifest,
  patchArb,
  requestProblem,
  type Item,
  type Outcome,
  type Patch,
  type Ref,
  type Role,
} from './itemUpdateModel.ts';

const seed = Number(process.env['PATCH_SEED'] ?? 20_261_122);
describe(`a model of PATCH /items/:id (PATCH_SEED=${String(seed)})`, () => {
  let world: World;
  const clients = new Map<string, Client>();
  const people = new Map<string, string>();

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', [
      ...Object.entries(clerkVerbs).map(([inbox, can]) => ({ on: `inbox:${inbox}`, can })),
      { on: 'resource:customer', can: ['see'] },
    ]);
    await world.role('nothing', []);
    for (const role of ['admin', 'clerk']) clients.set(role, await world.agent(role));
    people.set('ana', (await world.person('operator', 'Ana')).id);
    people.set('blind', (await world.person('nothing', 'Blind')).id);
    await world.records('customer', [
      { id: 'c1', title: 'One' },
      { id: 'c2', title: 'Two' },
    ]);
    await world.records('vault', [{ id: 'v1', title: 'Vault' }]);
  });
  after(() => world.close());

  const clientOf = (who: string): Client => clients.get(who) as Client;

  const named = (patch: Patch): Patch =>
    typeof patch.assignee === 'string' ? { ...patch, assignee: people.get(patch.assignee) ?? patch.assignee } : patch;
  const inboxArb = fc.constantFrom('mail', 'mail', 'oneWay', 'secret');
  const roleArb = fc.constantFrom<Role>('admin', 'admin', 'clerk');

  const make = async (inbox: string): Promise<Item> => {
    const { body, status, text } = await clientOf('admin').post('/items', { inbox, title: 'Item', tags: ['d'] });
    expect(status, text).to.equal(201);
    const { id } = body.item as { id: string };
    return {
      id,
      inbox,
      state: 'open',
      priority: 'normal',
      assignee: null,
      tags: ['d'],
      snoozedUntil: null,
      links: [],
      hasDeadline: inbox === 'mail',
      version: 1,
      entries: ['created'],
    };
  };

  /** Everything that a change of these items would write. */
  const rowsOf = (ids: readonly string[]): Promise<unknown> =>
    world.sql(
      `select i.id, i.xmin::text, i.version, (select count(*) from events e where e.item = i.id and e.outcome = 'done') as events,
         (select count(*) from staged_jobs j where j.subject = i.id) as jobs, (select count(*) from bulks) as bulks
       from items i where i.id = any ($1) order by i.id`,
      [ids],
    );
  const expectAsModelled = async (item: Item, told: string): Promise<void> => {
    const { body } = await clientOf('admin').get(`/items/${item.id}`);
    const { state, priority, assignee, tags, snoozedUntil, dueAt, version, updatedAt } = body.item;
    expect({ state, priority, assignee, tags, snoozedUntil, version, hasDeadline: dueAt !== null }, told).to.deep.equal(
      {
        state: item.state,
        priority: item.priority,
        assignee: item.assignee,
        tags: item.tags,
        snoozedUntil: item.snoozedUntil,
        version: item.version,
        hasDeadline: item.hasDeadline,
      },
    );
    if (dueAt !== null) expect(dueAt - hour, told).to.be.at.most(updatedAt);
    expect((body.linked as Ref[]).map(keyOf), told).to.deep.equal(item.links);
    const types = (body.timeline as { type: string }[]).map(({ type }) => type).reverse();
    expect([...types].sort(), told).to.deep.equal([...item.entries].sort());
  };
  const outcomeOf = ({ status, body }: Reply): Outcome =>
    status === 200 ? (body.changed === true ? 'changed' : 'unchanged') : `${status}`;

  it('one after the other do what the model and their dry runs say', async () => {
    const steps = fc.array(fc.tuple(roleArb, patchArb), { minLength: 1, maxLength: 5 });
    const outcomes = new Map<Outcome, number>();
    await fc.assert(
      fc.asyncProperty(inboxArb, steps, async (inbox, given) => {
        const item = await make(inbox);
        for (const [role, unnamed] of given) {
          const patch = named(unnamed);
          const told = JSON.stringify([role, item, patch]);
          const path = `/items/${item.id}`;
          const before = await rowsOf([item.id]);
          const dry = await clientOf(role).call('PATCH', path, { ...patch, dryRun: true });
          expect(await rowsOf([item.id]), told).to.deep.equal(before);
          const real = await clientOf(role).call('PATCH', path, patch);
          const outcome = requestProblem(role, patch) ?? decide(role, item, patch, people.get('ana'));
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
          expect([outcomeOf(dry), outcomeOf(real)], told).to.deep.equal([outcome, outcome]);
          expect(dry.body.code, told).to.equal(real.body.code);
          if (dry.status === 200) {
            const { updatedAt: _, dueAt, version, ...predicted } = dry.body.item;
            const { updatedAt: __, dueAt: due, version: next, ...happened } = real.body.item;
            expect([predicted, dueAt === null], told).to.deep.equal([happened, due === null]);
            expect(version, told).to.equal(outcome === 'changed' ? next - 1 : next);
          }
          await expectAsModelled(item, told);
        }
      }),
      { seed, numRuns: 35 },
    );
    for (const outcome of ['changed', 'unchanged', '400', '403', '404'] as const)
      expect(outcomes.get(outcome), outcome).to.be.above(0);
  });

  it('as bulks do to each item what the model says, and count it beforehand', async () => {
    const bulkPatchArb = patchArb.map(({ note: _, ...patch }) => patch);
    await fc.assert(
      fc.asyncProperty(
        fc.array(inboxArb, { minLength: 2, maxLength: 6 }),
        fc.array(fc.tuple(roleArb, bulkPatchArb), { minLength: 1, maxLength: 2 }),
        async (inboxes, given) => {
          const items: Item[] = [];
          for (const inbox of inboxes) items.push(await make(inbox));
          const ids = items.map(({ id }) => id);
          for (const [role, unnamed] of given) {
            const patch = named(unnamed);
            const told = JSON.stringify([role, items, patch]);
            const asked = { ids, operation: { type: 'update', ...patch } };
            const before = await rowsOf(ids);
            const dry = await clientOf(role).post('/bulk', { ...asked, dryRun: true });
            expect(await rowsOf(ids), told).to.deep.equal(before);
            const real = await clientOf(role).post('/bulk', asked);
            const problem = requestProblem(role, patch);
            if (problem !== null) {
              expect([`${dry.status}`, `${real.status}`], told).to.deep.equal([problem, problem]);
              continue;
            }
            expect([dry.status, real.status], `${told} ${real.text}`).to.deep.equal([200, 202]);
            const path = `/bulk/${String(real.body.bulk.id)}`;
            await until('it is done', async () => (await clientOf(role).get(path)).body.bulk.status === 'done');
            const { results } = (await clientOf(role).get(`${path}/results?limit=200`)).body;
            const expected = items.map((item) => decide(role, item, patch, people.get('ana')));
            const inWords: Readonly<Record<string, string>> = { 403: 'forbidden', 404: 'not_found' };
            const words = expected.map((one) =>
              one === 'changed' || one === 'unchanged' ? one : (inWords[one] ?? 'failed'),
            );
            const happened = new Map(
              (results as { id: string; outcome: string }[]).map(({ id, outcome }) => [id, outcome]),
            );
            expect(
              ids.map((id) => happened.get(id)),
              told,
            ).to.deep.equal(words);
            const count = (word: string): number => words.filter((one) => one === word).length;
            expect(dry.body, told).to.deep.include({
              matched: ids.length - count('not_found'),
              wouldChange: count('changed'),
              unchanged: count('unchanged'),
              forbidden: count('forbidden'),
              notFound: count('not_found'),
              failed: count('failed'),
            });
            for (const item of items) await expectAsModelled(item, told);
          }
        },
      ),
      { seed, numRuns: 12 },
    );
  });
});
