/** Settings over HTTP: an admin who is always left. */
import { expect } from 'chai';
import { clientOf, type Client, type Reply } from '../../support/http.ts';
import { until } from '../../support/until.ts';
import { newWorld, type World } from '../../support/world.ts';
import { password, patch, refused, remove } from './settingsWorld.ts';

describe('the last admin', () => {
  let world: World;
  let ana: Client;
  let bo: Client;

  beforeEach(async () => {
    world = await newWorld({ workers: false });
    ana = await world.person('admin', 'Ana', { fresh: true, password });
    bo = await world.person('admin', 'Bo', { fresh: true, password });
    // Can't sign in, and so doesn't count.
    await world.person('admin', 'Nobody');
  });
  afterEach(() => world.close());

  const left = async (): Promise<string[]> =>
    (
      await world.sql<{ name: string }>(
        `select p.name from people p join roles r on r.id = p.role where r.name in ('admin', 'keeper') and p.removed_at is null and p.password_hash is not null order by 1`,
      )
    ).map(({ name }) => name);

  it('stays when two demote or remove each other at once, on two processes', async () => {
    const second = await world.api();
    const far = clientOf(second.base(), bo.token, bo.id);
    for (let round = 0; round < 8; round++) {
      const away = (client: Client, other: Client): Promise<Reply> =>
        round % 2 === 0
          ? patch(client, `/settings/people/${other.id}`, { role: 'viewer' })
          : remove(client, `/settings/people/${other.id}`);
      const replies = await Promise.all([away(ana, bo), away(far, ana)]);
      const well = replies.filter(({ status }) => status < 300);
      expect(well, replies.map(({ text }) => text).join()).to.have.length(1);
      expect(replies.find(({ status }) => status >= 300)?.status).to.be.oneOf([401, 403, 409]);
      expect(await left()).to.have.length(1);
      await world.sql(
        `update people set removed_at = null, role = (select id from roles where name = 'admin'), password_hash = (select max(password_hash) from people) where id = any($1)`,
        [[ana.id, bo.id]],
      );
      for (const client of [ana, bo]) {
        await world.sql(
          `insert into tokens (hash, kind, principal, expires_at, fresh_until, created_at) values (sha256($1::bytea), 'person', $2, $3, $3, 0) on conflict do nothing`,
          [Buffer.from(client.token), client.id, Date.now() + 600_000],
        );
      }
      await world.sql('update revisions set n = n + 1');
      await world.deps.directory.refresh();
      await until('the other process knows', async () => (await far.get('/settings/roles')).status === 200, 2_000);
    }
  });

  it('can’t be removed, demoted or robbed of the right by a change of their role', async () => {
    expect((await remove(ana, `/settings/people/${bo.id}`)).status).to.equal(200);
    refused(await remove(ana, `/settings/people/${ana.id}`), 409, 'conflict');
    refused(await patch(ana, `/settings/people/${ana.id}`, { role: 'operator' }), 409, 'conflict');
    expect((await patch(ana, `/settings/people/${ana.id}`, { name: 'Ana Lind' })).status).to.equal(200);
    const { role } = (await ana.post('/settings/roles', { name: 'keeper', grants: [{ on: 'settings', can: ['*'] }] }))
      .body;
    expect((await patch(ana, `/settings/people/${ana.id}`, { role: 'keeper' })).status).to.equal(200);
    refused(await patch(ana, `/settings/roles/${role.id as string}`, { grants: [] }), 409, 'conflict');
    expect(
      (
        await patch(ana, `/settings/roles/${role.id as string}`, {
          grants: [
            { on: 'settings', can: ['manage'] },
            { on: 'audit', can: ['see'] },
          ],
        })
      ).status,
    ).to.equal(200);
    expect(await left()).to.deep.equal(['Ana Lind']);
  });
});
