/** One item with everything that its page begins with: a record, an occurrence and five entries of its timeline. By what it costs API and PostgreSQL. */
import { inTurn, type Suite } from '../bench.ts';
import { environment, readerInboxes, type Database } from '../database.ts';
import { costs, rate, times } from '../measured.ts';
import { median } from '../numbers.ts';
import { atMost } from '../report.ts';
import { get } from '../requests.ts';

/** ms of processor time in all. */
const most = 1.4;
const itemCount = 500;

/** Gives the newest items what is read with them, and returns their ids. */
const fillItems = async ({ sql, env }: Database): Promise<string[]> => {
  const newest = `select * from items where env = $1 and inbox = any ($2) order by id desc limit ${String(itemCount)}`;
  const values = [env, readerInboxes];
  await sql(
    `insert into records (env, resource, id, title, subtitle, fields, updated_at)
     select distinct on (record_resource, record_id) env, record_resource, record_id, record_title, 'since 2021', '{"name":"Robin Example","plan":"pro","country":"NZ"}'::jsonb, created_at
     from (${newest}) i where record_resource is not null on conflict do nothing`,
    values,
  );
  await sql(
    `insert into occurrences (env, item, at, id, title, data)
     select env, id, first_seen, 'occ_' || substr(id, 5), title, fields from (${newest}) i on conflict do nothing`,
    values,
  );
  await sql(
    `insert into events (env, at, actor_type, actor, actor_name, inbox, item, entry, type, data)
     select i.env, i.created_at, 'agent', 'agt_1', 'Agent', i.inbox, i.id, 'ent_' || n || substr(i.id, 6), e.type, e.data::jsonb
     from (${newest}) i cross join (values
       (0, 'created', '{"title":"As it was reported"}'), (1, 'assigned', '{"from":null,"to":"per_01k0000000e000000000000001"}'),
       (2, 'tags', '{"added":["vip"],"removed":[]}'), (3, 'note', '{"text":"Noted, and a text as long as people write them."}'),
       (4, 'state', '{"from":"open","to":"waiting"}')) e (n, type, data)
     where not exists (select from events x where x.env = i.env and x.item = i.id) order by i.id, n`,
    values,
  );
  await sql('analyze records, occurrences, events');
  return (await sql<{ id: string }>(`select id from (${newest}) i`, values)).map(({ id }) => id);
};

export const detail: Suite = {
  name: 'detail',
  run: async (bench) => {
    const { database, options } = bench;
    const { token } = await database.token('reader');
    const ids = await fillItems(database);
    const api = await bench.api();
    const texts = ids.map((id) => get(`/api/env/${environment}/items/${id}`, token));
    const load = () => bench.loadCosting(api, { port: api.port, connections: 16, requests: { kind: 'texts', texts } });
    const { ours } = await inTurn(options.rounds, { ours: load });
    const all = median(ours.map(({ cost }) => cost.process + cost.postgres)) / 1_000;
    return [
      {
        suite: 'detail',
        what: 'one item with its timeline, API and PostgreSQL, 16 connections',
        unit: 'ms of processor',
        ...atMost(all, most, 'ms'),
        note: `${costs(ours)}; ${rate(ours).toFixed(0)}/s, p50/p99 ms ${times(ours)}`,
      },
    ];
  },
};
