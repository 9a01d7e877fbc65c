/** No stranger keeps an owner out: while many addresses guess at an account, its owner signs in; and guessing stays bounded. */
import { expect } from 'chai';
import { hashPassword } from '../../shared/accounts/passwords.ts';
import { request, type Reply } from '../support/http.ts';
import { startProgram, type Program } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const password = 'correct horse battery';
const email = 'owner@example.com';

describe('a flood of guesses', () => {
  let world: World;
  let api: Program;
  let base: string;

  before(async () => {
    world = await newWorld({ workers: false, server: false });
    await world.person('admin', 'Owner', { email, password });
    // As slow to verify as the product makes it.
    await world.sql('update people set password_hash = $1 where email = $2', [await hashPassword(password), email]);
    api = await startProgram(world, 'api/main.ts', { TRUST_PROXY: '1', RATE_LIMIT: '100000', RATE_BURST: '100000' });
    base = `http://127.0.0.1:${api.port}/api/env/demo`;
  });
  after(async () => {
    await api.end();
    await world.close();
  });

  const signIn = (given: string, from: string, { cookie = '', account = email } = {}): Promise<Reply> =>
    request('POST', `${base}/sign-in`, { email: account, password: given }, null, {
      headers: { 'x-forwarded-for': from, ...(cookie === '' ? {} : { cookie }) },
    });
  const cookiesOf = ({ headers }: Reply): string =>
    headers
      .getSetCookie()
      .map((cookie) => cookie.split(';', 1)[0])
      .join('; ');

  /** 100 guesses a second from so many addresses of a network, until `end`. */
  const flood = (network: string, addresses: number, accountOf: (n: number) => string = () => email) => {
    const counts = new Map<number, number>();
    const under = new Set<Promise<void>>();
    let sent = 0;
    const timer = setInterval(() => {
      sent += 1;
      const guess = signIn(`guess ${String(sent)}`, `${network}.${String(sent % addresses)}`, {
        account: accountOf(sent),
      }).then(({ status }) => {
        counts.set(status, (counts.get(status) ?? 0) + 1);
        under.delete(guess);
      });
      under.add(guess);
    }, 10);
    return {
      counts,
      answered: (): number => [...counts.values()].reduce((sum, n) => sum + n, 0),
      end: async (): Promise<void> => {
        clearInterval(timer);
        await Promise.all(under);
      },
    };
  };

  /** The number of tries after which the owner is in. */
  const triesOf = async (from: string, cookie = ''): Promise<number> => {
    for (let tries = 1; tries <= 4; tries++)
      if ((await signIn(password, from, { cookie })).status === 200) return tries;
    return Number.POSITIVE_INFINITY;
  };

  /** How often the owner is told to wait because of wrong passwords. What a full queue refuses is tried again, as no wait does that. */
  const waitsOf = async (from: string): Promise<number> => {
    let waits = 0;
    for (let tries = 1; tries <= 60; tries++) {
      const { status, body } = await signIn(password, from);
      if (status === 200) return waits;
      if (!String(body.error).includes('Too many people')) waits += 1;
    }
    return Number.POSITIVE_INFINITY;
  };

  it('lets the owner in at the first try from a known browser and within three from another, from its first second on', async () => {
    const known = cookiesOf(await signIn(password, '192.0.2.1'));
    const addresses = 8;
    const guesses = flood('198.51.100', addresses);
    await until('the guesses are under way', () => guesses.answered() > 0);
    expect(await triesOf('198.51.100.7', known), 'a known browser, at an address that guesses').to.equal(1);
    expect(await triesOf('192.0.2.2'), 'an unknown browser').to.be.at.most(3);
    await until('every address has used up its tries', () => guesses.answered() > 12 * addresses, 150_000);
    expect(await triesOf('198.51.100.8', known), 'a known browser, later').to.equal(1);
    expect(await triesOf('192.0.2.3'), 'an unknown browser, later').to.be.at.most(3);
    expect(await waitsOf('198.51.100.3'), 'an unknown browser at an address that guesses').to.be.at.most(2);
    await guesses.end();
    expect([...guesses.counts.keys()].toSorted((a, b) => a - b)).to.deep.equal([401, 429]);
    // Three of each address, and the account's own, which the owner's sign-ins set back.
    expect(guesses.counts.get(401)).to.be.at.most(3 * addresses + 60);
  });

  it('at many accounts is stopped by address: no address has more than its tries', async () => {
    const addresses = 2;
    const guesses = flood('203.0.113', addresses, (n) => `account${String(n)}@example.com`);
    await until('every address has used up its tries', () => guesses.answered() > 40 * addresses, 150_000);
    expect(await triesOf('192.0.2.4'), 'the owner').to.be.at.most(3);
    await guesses.end();
    const rows = await world.sql<{ subject: string; failures: number }>(
      `select subject, failures from sign_in_tries where subject like 'address:203.0.113.%'`,
    );
    expect(rows).to.have.length(addresses);
    const guessed = guesses.counts.get(401) ?? 0;
    expect(
      rows.reduce((sum, { failures }) => sum + failures, 0),
      'each guess is counted',
    ).to.equal(guessed);
    await world.sql(`update sign_in_tries set failures = 20, free_at = $1 where subject = 'address:203.0.113.1'`, [
      Date.now() + 300_000,
    ]);
    expect((await signIn('a guess', '203.0.113.1', { account: 'one-more@example.com' })).status).to.equal(429);
  });
});
