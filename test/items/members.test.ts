/** Members of items: each is read as it was written, by every kind of change, and `items` has no column that the table of members lacks. */
import { expect } from 'chai';
import fc from 'fast-check';
import { fullAccess } from '../../shared/accounts/access/access.ts';
import type { Caller } from '../../shared/accounts/access/principal.ts';
import { columnsOf, itemMembers, memberNames, otherItemColumns, type Item } from '../../shared/app/items/members.ts';
import { readItems } from '../../shared/items/model.ts';
import { createEventBatch, type DecidedChange } from '../../shared/items/perform/eventBatch.ts';
import { writeItems, type ItemWrite } from '../../shared/items/perform/write.ts';
import { openDb, type Db } from '../../shared/platform/db/knex.ts';
import { queryRows, statement } from '../../shared/platform/db/sql.ts';
import { newId } from '../../shared/platform/ids.ts';
import { newDatabase, type TestDatabase } from '../support/database.ts';

const env = 1;
const by = { type: 'agent', id: 'agt_1', name: 'Ana' } as const;
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a write reads of its caller
const caller = {
  env: { id: env },
  principal: { ...by, access: fullAccess, role: null, mode: 'normal' },
  requestId: 'req',
  address: null,
} as unknown as Caller;

const name = fc.stringMatching(/^[a-z][a-z_.-]{0,8}$/);
const time = fc.integer({ min: 0, max: 4_102_444_800_000 });
const nullable = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value);
/** PostgreSQL stores neither NUL nor halves of surrogate pairs. */
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((value) => !value.includes('\0'));
const json = fc.dictionary(name, fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)));
const ref = fc.record({ resource: name, id: text });

/** Any value of each member, whatever the others are. */
const values: { readonly [M in keyof Omit<Item, 'id' | 'version'>]: fc.Arbitrary<Item[M]> } = {
  inbox: name,
  title: text,
  state: name,
  priority: name,
  closed: fc.boolean(),
  record: nullable(fc.record({ resource: name, id: text, title: nullable(text) })),
  links: fc.array(ref, { maxLength: 3 }),
  tags: fc.array(
    text.filter((tag) => !tag.includes(',')),
    { maxLength: 3 },
  ),
  assignee: nullable(name),
  delegate: nullable(name),
  claim: nullable(fc.record({ by: fc.constant(by), until: time })),
  occurrences: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  users: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  firstSeen: time,
  lastSeen: time,
  dueAt: nullable(time),
  fields: json.map((fields) => JSON.stringify(fields)),
  snoozedUntil: nullable(time),
  triaged: fc.boolean(),
  triage: nullable(
    fc.record({
      answers: fc.array(fc.record({ question: text, answer: json, by: fc.constant(by), at: time }), { maxLength: 2 }),
      closed: fc.boolean(),
    }),
  ),
  key: fc.constant(null),
  occurredEntry: nullable(
    fc.record({ at: time, to: fc.nat(), entry: fc.record({ id: name, from: fc.nat(), actor: fc.constant(by) }) }),
  ),
  createdAt: time,
  updatedAt: time,
};
const anyItem = fc.record(values);
type Values = typeof anyItem extends fc.Arbitrary<infer V> ? V : never;

const write = (changed: readonly DecidedChange[]): ItemWrite => {
  const events = createEventBatch(caller, 1, () => newId('ent'));
  for (const change of changed) events.add(change);
  return { caller, at: 1, verb: 'item.test', changed, events, saved: null, results: null };
};

/** Members that an update leaves as they are. */
const lasting = memberNames.filter((member) => itemMembers[member].written === 'once');

describe('members of items', () => {
  let database: TestDatabase;
  let db: Db;

  before(async () => {
    database = await newDatabase();
    db = openDb({ url: database.url, poolSize: 2, applicationName: 'test' });
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  const readAll = async (items: readonly Item[]): Promise<(Item | undefined)[]> => {
    const found = await readItems(
      db,
      env,
      items.map(({ id }) => id),
    );
    return items.map(({ id }) => found.get(id));
  };
  const create = async (all: readonly Values[]): Promise<Item[]> => {
    const items = all.map((value): Item => ({ id: newId('itm'), version: 1, ...value }));
    const written = await writeItems(db, write(items.map((item) => ({ before: null, effect: { item, entries: [] } }))));
    expect(written.size).to.equal(items.length);
    return items;
  };
  /** Returns the changes of items to other values, of content or links too where these are given. */
  const changesTo = (items: readonly Item[], all: readonly Values[], more: Partial<Item>): DecidedChange[] =>
    items.map((before, n) => {
      const stays = Object.fromEntries(
        [...lasting, 'title', 'fields', 'links'].map((member) => [member, before[member as keyof Item]]),
      );
      const item: Item = { ...before, ...all[n], ...stays, ...more, version: before.version + 1 };
      const occurrences =
        'title' in more
          ? [{ id: newId('occ'), at: 1, title: item.title, data: '{}', user: null, overflow: false }]
          : [];
      return { before, effect: { item, entries: [], occurrences } };
    });

  it('are the columns of the table and no others', async () => {
    const stored = await queryRows<{ name: string }>(
      db,
      statement(
        'test.itemColumns',
        "select column_name as name from information_schema.columns where table_name = 'items' and table_schema = current_schema()",
      ),
    );
    const known = [
      ...otherItemColumns,
      ...memberNames.flatMap((member) => columnsOf(member).map((column) => column.name)),
    ];
    expect(stored.map((column) => column.name).sort()).to.deep.equal(known.sort());
  });

  it('are read as they were written: by a creation, an update of one, of many, of several callers, of content and of links', async function () {
    this.timeout(300_000);
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyItem, { minLength: 3, maxLength: 3 }),
        fc.array(anyItem, { minLength: 3, maxLength: 3 }),
        async (made, next) => {
          const items = await create(made);
          expect(await readAll(items), 'created').to.deep.equal(items);
          let present = items;
          const update = async (
            what: string,
            changes: readonly DecidedChange[],
            run: () => Promise<Set<string>>,
          ): Promise<void> => {
            expect((await run()).size, what).to.equal(changes.length);
            const changed = new Map(changes.map(({ effect: { item } }) => [item.id, item]));
            present = present.map((item) => changed.get(item.id) ?? item);
            expect(await readAll(present), what).to.deep.equal(present);
          };
          const [first] = next;
          if (first === undefined) return;
          const one = changesTo(present.slice(0, 1), next, {});
          await update('one', one, () => writeItems(db, write(one)));
          const many = changesTo(present, next.toReversed(), {});
          await update('many', many, () => writeItems(db, write(many)));
          const gathered = changesTo(present, next, {});
          await update('gathered', gathered, () => {
            const [own = write([]), ...others] = gathered.map((change) => write([change]));
            return writeItems(db, own, others);
          });
          const linked = changesTo(present.slice(0, 1), next, {
            links: [...first.links, { resource: 'customer', id: 'c1' }],
          });
          await update('links', linked, () => writeItems(db, write(linked)));
          const { title, fields } = first;
          const replaced = changesTo(present.slice(0, 2), next, { title: `${title}!`, fields });
          await update('content', replaced, () => writeItems(db, write(replaced)));
        },
      ),
      { numRuns: Number(process.env['PROPERTY_RUNS'] ?? '40') },
    );
  });
});
