/** The demo as `npm start` loads it: complete, consistent, the same every time, and loaded once however often it is tried. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import pg from 'pg';
import { environmentSql } from '../../shared/accounts/directory.ts';
import {
  compileDefinition,
  mergeDefinition,
  toEnvironment,
  type StoredEnvironment,
} from '../../shared/app/manifest/definition.ts';
import { parseManifest } from '../../shared/app/manifest/readManifest.ts';
import { indexNextTexts } from '../../shared/items/search/indexTexts.ts';
import { sortedTags } from '../../shared/items/tags.ts';
import { openDb } from '../../shared/platform/db/knex.ts';
import { queryRows, statement } from '../../shared/platform/db/sql.ts';
import { reindexRecords } from '../../shared/records/reindex.ts';
import manifest from '../../shared/tools/demo/manifest.json' with { type: 'json' };
import { program } from '../../shared/tools/services/compile.mjs';
import { newDatabase, redisUrl, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const items = 2_000;
const now = 1_790_000_000_000;

interface Place {
  readonly database: TestDatabase;
  readonly dir: string;
  readonly pool: pg.Pool;
}

interface Access {
  readonly baseUrl: string;
  readonly agents: Readonly<Record<'admin' | 'operator' | 'viewer', string>>;
  readonly people: readonly { readonly email: string; readonly password: string; readonly role: string }[];
  readonly appKey: string;
}

interface Entry {
  readonly type: string;
  readonly at: number;
  // The members depend on the type, which the fold looks at first.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly data: any;
}

const parsed = parseManifest(manifest);
const { inboxes } = compileDefinition(parsed, mergeDefinition({ inboxes: [] }, parsed), []);

/** What the entries of an item, oldest first, say that it is now. */
const folded = (inbox: string, entries: readonly Entry[]): Record<string, unknown> => {
  const rules = inboxes.get(inbox);
  const first = entries[0]?.at;
  const item = {
    state: rules?.initial ?? '',
    assignee: null as string | null,
    tags: [] as string[],
    snoozed: null as number | null,
    occurrences: 1,
    triaged: false,
    firstSeen: first,
    lastSeen: first,
    createdAt: first,
    updatedAt: entries.at(-1)?.at,
    version: entries.length,
  };
  for (const { type, at, data } of entries) {
    if (type === 'state') {
      expect(data.from).to.equal(item.state);
      item.state = data.to;
      if (rules?.isClosed(item.state) === true) item.snoozed = null;
      else if (rules?.isClosed(data.from) === true) item.triaged = false;
    } else if (type === 'assigned') {
      expect(data.from).to.equal(item.assignee);
      item.assignee = data.to;
    } else if (type === 'tags')
      item.tags = sortedTags([...item.tags.filter((tag) => !data.remove.includes(tag)), ...data.add]);
    else if (type === 'snoozed') item.snoozed = data.to;
    else if (type === 'woken') item.snoozed = null;
    else if (type === 'triage') item.triaged = data.closed;
    else if (type === 'occurred') {
      expect(data.occurrences.from).to.equal(item.occurrences);
      item.occurrences = data.occurrences.to;
      item.lastSeen = at;
    }
  }
  return item;
};

const itemsSql = `
  select md5(string_agg(t, ',' order by t)) as digest, count(*)::int as n from (
    select row(i.id, inbox, title, state, closed, record_id, links, tags, p.email, occurrences, users, first_seen, last_seen, due_at, fields,
      snoozed_until, triaged, key, occurred_entry #- '{entry,actor,id}', i.created_at, updated_at, version)::text as t
    from items i left join people p on p.id = i.assignee) x`;
const eventsSql = `
  select md5(string_agg(t, ',' order by n)) as digest, count(*)::int as n from (
    select row(at, actor_type, actor_name, role, verb, item, entry, type, case when type <> 'assigned' then data end)::text as t, row_number() over (order by id) as n
    from events where item is not null) x`;

describe('the demo', () => {
  const places: Place[] = [];

  const newPlace = async (): Promise<Place> => {
    const database = await newDatabase();
    const pool = new pg.Pool({ connectionString: database.ownerUrl, max: 2 });
    // The drop of the database terminates connections that are about to end.
    pool.on('error', () => undefined);
    const place = { database, dir: mkdtempSync(join(tmpdir(), 'console-demo-')), pool };
    places.push(place);
    return place;
  };

  const start = async ({ database, dir }: Place): Promise<ChildProcess> => {
    const env = {
      ...process.env,
      DATABASE_URL: database.url,
      MIGRATE_DATABASE_URL: database.ownerUrl,
      REDIS_URL: redisUrl(),
      DATA_DIR: dir,
      PUBLIC_URL: 'http://console.example',
    };
    const options = ['--items', String(items), '--seed', '7', '--now', String(now)];
    const [node = '', ...args] = await program('shared/tools/demo/load.ts', options);
    return spawn(node, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  };

  const load = async (place: Place): Promise<string> => {
    const child = await start(place);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (piece: string) => void (output += piece));
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code, output).to.equal(0);
    return output;
  };

  const rows = async <R extends object>({ pool }: Place, sql: string, values: unknown[] = []): Promise<R[]> =>
    (await pool.query(sql, values)).rows as R[];
  const digest = async (place: Place): Promise<object> => ({
    items: (await rows(place, itemsSql))[0],
    events: (await rows(place, eventsSql))[0],
  });
  const accessOf = ({ dir }: Place): Access => JSON.parse(readFileSync(join(dir, 'access.json'), 'utf8')) as Access;
  const holds = async (place: Place, token: string): Promise<boolean> =>
    (await rows(place, 'select from tokens where hash = $1', [createHash('sha256').update(token).digest()])).length ===
    1;

  let first: Place;
  before(async () => {
    first = await newPlace();
    expect(await load(first)).to.include('demo: 2,000 items');
  });
  after(async () => {
    for (const { pool, dir, database } of places) {
      await pool.end();
      await database.drop();
      rmSync(dir, { recursive: true, force: true });
    }
  });

  it('writes credentials that only their owner can read, and keeps only hashes of them', async () => {
    const access = accessOf(first);
    expect(access.baseUrl).to.equal('http://console.example/api/env/demo');
    expect(statSync(join(first.dir, 'access.json')).mode & 0o777).to.equal(0o600);
    expect(access.people.map(({ role }) => role)).to.deep.equal([
      'admin',
      'operator',
      'support',
      'engineering',
      'viewer',
    ]);
    const secrets = [...Object.values(access.agents), access.appKey, ...access.people.map(({ password }) => password)];
    expect(new Set(secrets)).to.have.property('size', 5);
    for (const token of secrets.slice(0, 4)) expect(await holds(first, token)).to.equal(true);
    for (const table of ['tokens', 'people', 'agents', 'app_keys', 'events']) {
      const all = await rows<{ text: string }>(
        first,
        `select coalesce(string_agg(t::text, ' '), '') as text from ${table} t`,
      );
      for (const secret of secrets) expect(all[0]?.text.includes(secret), `${table} holds a secret`).to.equal(false);
    }
  });

  it('counts exactly what a recount finds', async () => {
    const kept = await rows(
      first,
      'select inbox, measure, n::int from counts where n <> 0 order by inbox collate "C", measure collate "C"',
    );
    const recount = await rows(
      first,
      `
      select inbox, measure, count(*)::int as n from items i cross join lateral (
        select 'total' as measure union all select '=' || i.state
        union all select 'unassigned' where i.assignee is null union all select 'snoozed' where i.snoozed_until is not null
        union all select 'triaged' where i.triaged
        union all select 'active' where not i.closed and i.snoozed_until is null
        union all select 'activeUnassigned' where not i.closed and i.snoozed_until is null and i.assignee is null
        union all select 'activeOverdue' where not i.closed and i.snoozed_until is null and i.due_at <= (select overdue_mark from streams where env = i.env)
        union all select 'overdue' where i.due_at <= (select overdue_mark from streams where env = i.env) and not i.closed) m
      group by inbox, measure order by inbox collate "C", measure collate "C"`,
    );
    expect(kept).to.deep.equal(recount);
    expect(kept).to.have.length.above(25);
    expect(await rows(first, 'select overdue_mark::text as mark from streams')).to.deep.equal([{ mark: String(now) }]);
  });

  it('tells in each timeline how the item became what it is', async () => {
    const sample = await rows<{ id: string; inbox: string; fields: unknown }>(
      first,
      `
      select id, inbox, fields, state, assignee, tags, snoozed_until::float8 as snoozed, occurrences, triaged, first_seen::float8 as "firstSeen",
        last_seen::float8 as "lastSeen", created_at::float8 as "createdAt", updated_at::float8 as "updatedAt", version
      from items order by md5(id) limit 500`,
    );
    expect(sample).to.have.length(500);
    const entries = await rows<Entry & { item: string }>(
      first,
      `
      select item, type, at::float8 as at, data from events where item = any($1) and entry is not null order by id`,
      [sample.map(({ id }) => id)],
    );
    for (const { id, inbox, fields, ...item } of sample) {
      expect(
        folded(
          inbox,
          entries.filter((entry) => entry.item === id),
        ),
        id,
      ).to.deep.equal(item);
      expect(inboxes.get(inbox)?.dataProblems(fields, ''), id).to.deep.equal([]);
    }
  });

  it('keeps what each message of a conversation said, and the newest errors of a group', async () => {
    const [odd] = await rows<{ n: number }>(
      first,
      `
      select count(*)::int as n from items i
      cross join lateral (select count(*)::int as n, max(at) as last, min(at) as first from occurrences o where o.env = i.env and o.item = i.id) kept
      where kept.n <> least(i.occurrences, 100) or kept.last <> i.last_seen or (i.occurrences <= 100 and kept.first <> i.first_seen)`,
    );
    expect(odd?.n).to.equal(0);
    const [entries] = await rows<{ n: number; known: number }>(
      first,
      `
      select count(*)::int as n, count(o.id)::int as known from events e
      left join occurrences o on o.env = e.env and o.item = e.item and o.id = e.data #>> '{occurrence,id}'
      where e.type = 'occurred' and (e.data #>> '{occurrence,id}') is not null`,
    );
    expect(entries?.n).to.be.above(0);
    expect(entries?.known).to.equal(entries?.n);
  });

  it('is found by its contents at once, as if the sweep had indexed them, and has all indexes', async () => {
    const words = (place: Place): Promise<object[]> =>
      rows(place, 'select item, source, words::text from item_words order by item, source');
    const loaded = await words(first);
    expect(loaded.length).to.be.above(items);
    const indexes = (place: Place): Promise<object[]> =>
      rows(place, "select indexdef from pg_indexes where schemaname = 'public' order by indexdef");
    expect(await indexes(first)).to.deep.equal(await indexes(await newPlace()));

    const db = openDb({ url: first.database.ownerUrl, poolSize: 2, applicationName: 'test' });
    try {
      const environments = (await queryRows<StoredEnvironment>(db, statement('test.environments', environmentSql))).map(
        toEnvironment,
      );
      const [last] = await rows<{ event: string }>(first, 'select max(id) as event from events where item is not null');
      expect(await rows(first, 'select event from item_words_progress')).to.deep.equal([last]);
      await first.pool.query('truncate item_words');
      await first.pool.query('update item_words_progress set event = 0');
      while (await indexNextTexts(db, environments, Number(last?.event)));
      expect(await words(first)).to.deep.equal(loaded);
    } finally {
      await db.destroy();
    }
  });

  it('has records as the sweep would have indexed them, which finds nothing to do', async () => {
    const stored = (): Promise<object[]> =>
      rows(
        first,
        `select r.id, r.title_key, r.terms::text, r.shape, json_agg(json_build_array(k.field, k.missing, k.num, k.text) order by k.field) as keys
         from records r left join record_keys k on k.env = r.env and k.resource = r.resource and k.id = r.id group by r.env, r.resource, r.id order by r.id`,
      );
    const loaded = await stored();
    expect(loaded.length).to.be.above(200);
    const db = openDb({ url: first.database.ownerUrl, poolSize: 2, applicationName: 'test' });
    try {
      const [environment] = (
        await queryRows<StoredEnvironment>(db, statement('test.environments', environmentSql))
      ).map(toEnvironment);
      if (environment === undefined) throw new Error('The demo has no environment.');
      expect(await reindexRecords(db, environment)).to.equal(0);
      await first.pool.query(
        "update records set shape = '' where id in (select id from records order by id limit 200)",
      );
      expect(await reindexRecords(db, environment)).to.equal(200);
      expect(await stored()).to.deep.equal(loaded);
    } finally {
      await db.destroy();
    }
  });

  it('has an audit log in order of time, as if all of it had come through the API', async () => {
    const [log] = await rows<{ inOrder: boolean; created: number; told: number }>(
      first,
      `
      select bool_and(at >= before) as "inOrder", (count(*) filter (where verb = 'item.create'))::int as created,
        (select count(*) from outbox)::int + (select count(*) from stream)::int as told
      from (select at, verb, lag(at, 1, at) over (order by id) as before from events where item is not null) e`,
    );
    expect(log).to.deep.equal({ inOrder: true, created: items, told: 0 });
    const strangers = await rows(
      first,
      `select from events where actor_type = 'person' and actor not in (select id from people)`,
    );
    expect(strangers).to.deep.equal([]);
  });

  it('changes nothing the second time', async () => {
    const before = [await digest(first), accessOf(first)];
    const rowsBefore = await rows(
      first,
      'select (select count(*) from events)::int as events, (select n from revisions)::int as revision',
    );
    expect(await load(first)).to.include('is loaded');
    expect([await digest(first), accessOf(first)]).to.deep.equal(before);
    expect(
      await rows(
        first,
        'select (select count(*) from events)::int as events, (select n from revisions)::int as revision',
      ),
    ).to.deep.equal(rowsBefore);
  });

  it('makes anew what was lost, and leaves what still works', async () => {
    const before = accessOf(first);
    await rows(first, 'delete from tokens where hash = $1', [
      createHash('sha256').update(before.agents.viewer).digest(),
    ]);
    await load(first);
    const after = accessOf(first);
    expect(after).to.deep.equal({ ...before, agents: { ...before.agents, viewer: after.agents.viewer } });
    expect(await holds(first, after.agents.viewer)).to.equal(true);

    rmSync(join(first.dir, 'access.json'));
    await load(first);
    const fresh = accessOf(first);
    expect(fresh.people.map(({ password }) => password)).not.to.include.members([after.people[0]?.password]);
    for (const token of [...Object.values(after.agents), after.appKey])
      expect(await holds(first, token), 'a lost token').to.equal(false);
    for (const token of [...Object.values(fresh.agents), fresh.appKey])
      expect(await holds(first, token), 'a new token').to.equal(true);
    expect(await rows(first, 'select count(*)::int as n from agents')).to.deep.equal([{ n: 3 }]);
  });

  it('is the same on another machine, and loaded once by two at the same time', async () => {
    const second = await newPlace();
    await Promise.all([load(second), load(second)]);
    expect(await digest(second)).to.deep.equal(await digest(first));
    const made = await rows(
      second,
      'select (select count(*) from people)::int as people, (select count(*) from agents)::int as agents, (select count(*) from app_keys)::int as keys',
    );
    expect(made).to.deep.equal([{ people: 12, agents: 3, keys: 1 }]);
  });

  it('starts over cleanly after it was killed in the middle', async () => {
    const third = await newPlace();
    const child = await start(third);
    const ended = new Promise((resolve) => child.once('close', resolve));
    await until(
      'it has begun to write items',
      async () =>
        (
          await rows(
            third,
            `select from pg_locks l join pg_class c on c.oid = l.relation where c.relname = 'items' and l.mode = 'RowExclusiveLock'`,
          )
        ).length > 0,
      60_000,
    );
    child.kill('SIGKILL');
    await ended;
    expect(await rows(third, 'select from items limit 1'), 'half of it is none of it').to.deep.equal([]);
    await load(third);
    expect(await digest(third)).to.deep.equal(await digest(first));
  });
});
