/** Guesses at passwords: they are slowed, by account, address and browser, and reveal nothing. */
import { expect } from 'chai';
import { type Reply } from '../support/http.ts';
import { hour, password, useSignIn } from './signInWorld.ts';

describe('signing in', () => {
  const here = useSignIn();
  const { person, signIn, refused, stretch, block } = here;

  describe('with the wrong password', () => {
    it('answers an address that exists and one that does not with the same bytes', async () => {
      const { email } = await person();
      await here.world.person('viewer', 'No Password', { email: 'nopassword@example.com' });
      const own = new Set(['x-request-id', 'date', 'ratelimit']);
      const shown = ({ status, text, headers }: Reply): object => ({
        status,
        text,
        headers: [...headers].filter(([name]) => !own.has(name)),
      });
      const [known, unknown, without] = [
        await signIn({ email, password: 'not that one' }),
        await signIn({ email: `x${email}`, password }),
        await signIn({ email: 'nopassword@example.com', password }),
      ];
      refused(known, 401, 'unauthorized');
      expect(known.headers.get('set-cookie')).to.equal(null);
      expect(shown(known)).to.deep.equal(shown(unknown));
      expect(shown(without)).to.deep.equal(shown(unknown));
    });

    it('slows guesses at an account, whether it exists or not, from wherever they come, and lets the right one in after the wait', async () => {
      const { email } = await person();
      for (const account of [email, `x${email}`]) {
        for (let i = 0; i < 8; i++) {
          here.from = `198.51.100.${String(i % 2)}`;
          await here.world.sql('update sign_in_tries set free_at = 0');
          refused(await signIn({ email: account, password: `guess ${String(i)}` }), 401, 'unauthorized');
        }
        await stretch();
        const reply = await signIn({ email: account, password });
        refused(reply, 429, 'rate_limited');
        expect(Number(reply.headers.get('retry-after'))).to.be.within(1, 70);
      }
      await here.world.sql('update sign_in_tries set free_at = 0');
      expect((await signIn({ email, password })).status).to.equal(200);
      refused(await signIn({ email, password: 'wrong again' }), 401, 'unauthorized');
    });

    it('lets the first three tries of an address through the waits of the account, in each hour', async () => {
      const { email } = await person();
      for (let i = 0; i < 8; i++)
        await signIn({ email, password: 'guess' }, { headers: { 'x-forwarded-for': '198.51.100.9' } });
      const guess = async (): Promise<number> => {
        await stretch();
        return (await signIn({ email, password: 'guess' })).status;
      };
      expect([await guess(), await guess(), await guess(), await guess(), await guess()]).to.deep.equal([
        401, 401, 401, 429, 429,
      ]);
      await here.world.sql(`update sign_in_tries set last_at = last_at - $1 where subject like 'pair:%'`, [hour]);
      expect([await guess(), await guess()]).to.deep.equal([401, 401]);
      expect((await signIn({ email, password })).status, 'the third').to.equal(200);
      expect([await guess(), await guess(), await guess()], 'a right one sets back').to.deep.equal([401, 401, 401]);
    });

    it('gives a browser that has signed in tries of its own, ten in an hour, until the password changes', async () => {
      const { email } = await person();
      const reply = await signIn({ email, password });
      const [set = ''] = reply.headers.getSetCookie().filter((one) => one.startsWith('console_browser='));
      expect(set).to.match(/^console_browser=[\w.-]+; Path=\/api\/env; Max-Age=7776000; HttpOnly; SameSite=Lax$/);
      const [cookie = ''] = set.split(';', 1);
      const attempt = (given: string, account = email): Promise<Reply> =>
        signIn({ email: account, password: given }, { headers: { cookie } });
      await signIn({ email, password: 'guess' });
      await block();
      refused(await signIn({ email, password }), 429, 'rate_limited');
      const failed = (n: number): Promise<unknown> =>
        here.world.sql(`update sign_in_tries set failures = $1 where subject like 'known:%'`, [n]);
      refused(await attempt('guess'), 401, 'unauthorized');
      await failed(9);
      expect((await attempt(password)).status, 'the tenth').to.equal(200);
      refused(await attempt('guess'), 401, 'unauthorized');
      await failed(10);
      refused(await attempt(password), 429, 'rate_limited');
      await here.world.sql(`update sign_in_tries set last_at = last_at - $1 where subject like 'known:%'`, [hour]);
      expect((await attempt(password)).status, 'an hour later').to.equal(200);
    });

    it('knows a browser for one account, 90 days, and until the password changes', async () => {
      const { client, email } = await person();
      const reply = await signIn({ email, password });
      const [cookie = ''] = reply.headers
        .getSetCookie()
        .map((one) => one.split(';', 1)[0])
        .slice(1);
      const attempt = (given: string, account = email): Promise<Reply> =>
        signIn({ email: account, password: given }, { headers: { cookie } });
      await signIn({ email, password: 'guess' });
      await block();
      expect((await attempt(password)).status).to.equal(200);
      const other = await person();
      await signIn({ email: other.email, password: 'guess' }, { headers: { 'x-forwarded-for': '198.51.100.10' } });
      await block();
      refused(await attempt(password, other.email), 429, 'rate_limited');
      const last = cookie.endsWith('A') ? 'Q' : 'A';
      refused(
        await signIn({ email, password }, { headers: { cookie: `${cookie.slice(0, -1)}${last}` } }),
        429,
        'rate_limited',
      );
      here.world.clock.advance(90 * 24 * hour);
      await block();
      refused(await attempt(password), 429, 'rate_limited');
      here.world.clock.advance(-90 * 24 * hour);
      const boss = await here.world.person('admin', 'Boss', { fresh: true });
      await boss.call('PATCH', `/settings/people/${client.id}`, { password: 'another password' });
      await block();
      refused(await attempt('another password'), 429, 'rate_limited');
    });

    it('waits longer with each guess, never longer than half a minute for an account and five for an address, and not longer for asking', async () => {
      const { email } = await person();
      const waits: number[][] = [];
      for (const failures of [3, 4, 5, 6, 18, 19, 20, 200, 1_000_000]) {
        await here.world.sql('update sign_in_tries set free_at = 0, failures = $1', [failures]);
        if (failures === 3)
          await signIn({ email, password: 'guess' }).then(() =>
            here.world.sql('update sign_in_tries set free_at = 0, failures = $1', [failures]),
          );
        refused(await signIn({ email, password: 'guess' }), 401, 'unauthorized');
        const rows = await here.world.sql<{ ms: number }>(
          `select (free_at - last_at)::int as ms from sign_in_tries where last_at = (select max(last_at) from sign_in_tries) and subject not like 'pair:%' order by subject`,
        );
        waits.push(rows.map(({ ms }) => ms / 1000));
      }
      expect(waits).to.deep.equal([
        [0, 0],
        [1, 0],
        [2, 0],
        [4, 0],
        [30, 0],
        [30, 1],
        [30, 2],
        [30, 300],
        [30, 300],
      ]);
      const rowsOfWaits = `select * from sign_in_tries where subject not like 'same:%' order by subject`;
      const held = await here.world.sql(rowsOfWaits);
      const reply = await signIn({ email, password });
      refused(reply, 429, 'rate_limited');
      expect(await here.world.sql(rowsOfWaits)).to.deep.equal(held);
    });

    it('slows guesses from an address at many accounts', async () => {
      const { email } = await person();
      refused(await signIn({ email: 'first@example.com', password: 'guess' }), 401, 'unauthorized');
      await here.world.sql('update sign_in_tries set failures = 19 where subject = $1', [`address:${here.from}`]);
      refused(await signIn({ email: 'second@example.com', password: 'guess' }), 401, 'unauthorized');
      await stretch();
      refused(await signIn({ email, password }), 429, 'rate_limited');
      here.from = '192.0.2.250';
      expect((await signIn({ email, password })).status).to.equal(200);
    });

    it('keeps a right password waiting for two tries at most, after guesses from its address at its account or at many', async () => {
      const { email } = await person();
      const tries = async (): Promise<number[]> => {
        const statuses: number[] = [];
        while (statuses.at(-1) !== 200 && statuses.length < 4) {
          await stretch();
          statuses.push((await signIn({ email, password })).status);
        }
        return statuses;
      };
      for (let i = 0; i < 9; i++) {
        await here.world.sql('update sign_in_tries set free_at = 0');
        refused(await signIn({ email, password: `guess ${String(i)}` }), 401, 'unauthorized');
      }
      expect(await tries(), 'nine guesses at the account').to.deep.equal([429, 429, 200]);
      await here.world.sql('update sign_in_tries set failures = 300, free_at = $1, last_at = $2 where subject = $3', [
        here.world.clock.now() + hour,
        here.world.clock.now(),
        `address:${here.from}`,
      ]);
      expect(await tries(), 'guesses at many accounts').to.deep.equal([429, 429, 200]);
      const kept = await here.world.sql('select subject from sign_in_tries where subject like $1', [
        `same:%:${here.from}:%`,
      ]);
      expect(kept, 'nothing of the right password').to.deep.equal([]);
    });

    it('verifies no more than 30 repeated guesses of an address in an hour, and none twice', async () => {
      const { email } = await person();
      await signIn({ email, password: 'guess' });
      await block();
      const statuses: number[] = [];
      for (let i = 0; i < 40; i++)
        for (let n = 0; n < 4; n++) statuses.push((await signIn({ email, password: `repeated ${String(i)}` })).status);
      expect(statuses.filter((status) => status !== 429)).to.deep.equal(Array.from({ length: 30 }, () => 401));
      expect(statuses.slice(0, 4)).to.deep.equal([429, 429, 401, 429]);
    });

    it('lets no more guesses through that are made at once, over several processes', async () => {
      const { email } = await person();
      const second = await here.world.api();
      const guess = (i: number): Promise<Reply> =>
        signIn({ email, password: `guess ${String(i)}` }, { base: i % 2 === 0 ? here.world.base : second.base() });
      const replies = await here.world.clock.stopWhile(() =>
        Promise.all(Array.from({ length: 16 }, (_, i) => guess(i))),
      );
      expect(replies.filter(({ status }) => status === 401)).to.have.length(5);
      expect(replies.filter(({ status }) => status === 429)).to.have.length(11);
    });

    it('forgets failures after an hour without a try, and keeps nothing of what was typed', async () => {
      const { email } = await person();
      for (let i = 0; i < 5; i++) await signIn({ email, password: 'guess' });
      await stretch();
      refused(await signIn({ email, password }), 429, 'rate_limited');
      await here.world.sql('update sign_in_tries set free_at = 0, last_at = last_at - $1', [hour + 1000]);
      for (let i = 0; i < 4; i++) refused(await signIn({ email, password: 'guess' }), 401, 'unauthorized');
      expect((await signIn({ email, password })).status).to.equal(200);
      const kept = await here.world.sql<{ subject: string }>('select subject from sign_in_tries');
      expect(kept.filter(({ subject }) => subject.includes('@'))).to.deep.equal([]);
    });
  });
});
