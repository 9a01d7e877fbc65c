/** What an operator sets of sign-ins by OpenID Connect: groups that give roles, no passwords, how the provider takes its secret, and none at all. */
import { expect } from 'chai';
import { request, type Client } from '../support/http.ts';
import { newSimpleBrowser, type OpenIdProvider } from '../support/openId.ts';
import { newWorld, type World } from '../support/world.ts';
import { answerOf, audited, begin, me, newPair, problemOf, signIn } from './openIdFlow.ts';

const groups = [
  { group: 'heads', role: 'admin', environments: ['*'] },
  { group: 'ops', role: 'operator', environments: ['demo'] },
  { group: 'ops-staging', role: 'operator', environments: ['staging'] },
  { group: 'nothing', role: 'no such role', environments: ['demo'] },
];

describe('signing in by OpenID Connect', () => {
  describe('where groups say what people may do', () => {
    let world: World;
    let provider: OpenIdProvider;
    let shared: Client;

    before(async () => {
      [world, provider] = await newPair({ OIDC_GROUPS: JSON.stringify(groups), OIDC_NEW_PEOPLE: 'create' });
      shared = await world.person('admin', 'Boss', { email: 'boss@example.com', password: 'correct horse battery' });
    });
    after(async () => {
      await world.close();
      await provider.close();
    });

    const account = (name: string, theirs: unknown): string => {
      provider.accounts.set(name, {
        email: `${name}@example.com`,
        email_verified: true,
        name: 'New Person',
        groups: theirs,
      });
      return name;
    };
    const viewOf = async (name: string) =>
      (await shared.get('/settings/people')).body.people.find(
        ({ email }: { email: string }) => email === `${name}@example.com`,
      );

    it('makes people at their first sign-in, with the role and the environments of their groups', async () => {
      const { browser, problem } = await signIn(world, account('kim', ['something else', 'ops-staging', 'ops']));
      expect(problem).to.equal(null);
      expect((await me(world, browser)).body.role.name).to.equal('operator');
      expect(await viewOf('kim')).to.deep.include({ name: 'New Person', environments: ['demo', 'staging'] });
      const made = (await audited(world, 'person.create')).at(-1);
      expect(made).to.deep.include({ actor_type: 'system', actor_name: 'OpenID Connect', outcome: 'ok' });
    });

    it('makes one person of two first sign-ins at the same time', async () => {
      const name = account('twin', ['ops']);
      const both = await Promise.all([signIn(world, name), signIn(world, name)]);
      expect(both.map(({ problem }) => problem)).to.deep.equal([null, null]);
      expect(await world.sql('select id from people where email = $1', ['twin@example.com'])).to.have.length(1);
    });

    it('changes the role with the groups at each sign-in, and takes away what has gone', async () => {
      await signIn(world, account('lee', ['ops', 'heads']));
      expect(await viewOf('lee')).to.deep.include({ environments: ['*'] });
      await signIn(world, account('lee', 'ops'));
      const { role, environments } = await viewOf('lee');
      expect([role.name, environments]).to.deep.equal(['operator', ['demo']]);
      expect((await audited(world, 'person.update')).at(-1)).to.deep.include({
        actor_type: 'system',
        actor_name: 'OpenID Connect',
      });
      const entries = (await audited(world, 'person.update')).length;
      await signIn(world, account('lee', 'ops'));
      expect((await audited(world, 'person.update')).length, 'nothing has changed').to.equal(entries);
    });

    it('refuses whoever is in none of the groups any more, and ends their sessions', async () => {
      const { browser } = await signIn(world, account('mia', ['ops']));
      expect((await me(world, browser)).status).to.equal(200);
      account('mia', []);
      expect((await signIn(world, 'mia')).problem).to.equal('no_group');
      expect((await me(world, browser)).status).to.equal(401);
      expect((await audited(world, 'person.signIn')).at(-1)).to.deep.include({
        actor_name: 'New Person',
        outcome: 'denied',
        after: { code: 'forbidden', problem: 'no_group' },
      });
      expect((await signIn(world, account('noone', undefined))).problem).to.equal('no_group');
      expect(await viewOf('noone')).to.equal(undefined);
    });

    it('takes no rights from the last admin, and does not let them in with rights that have gone', async () => {
      const first = await signIn(world, account('head', ['heads']));
      expect(first.problem).to.equal(null);
      await world.sql(`update people set removed_at = 1 where email <> 'head@example.com'`);
      account('head', ['ops']);
      expect((await signIn(world, 'head')).problem).to.equal('last_admin');
      const [row] = await world.sql('select r.name from people p join roles r on r.id = p.role where email = $1', [
        'head@example.com',
      ]);
      expect(row).to.deep.equal({ name: 'admin' });
      await world.sql(`update people set removed_at = null`);
      expect((await signIn(world, 'head')).problem).to.equal(null);
    });

    it('says that a role of the mapping does not exist', async () => {
      expect((await signIn(world, account('lost', ['nothing']))).problem).to.equal('misconfigured');
      expect(await viewOf('lost')).to.equal(undefined);
    });
  });

  describe('where nobody signs in by password', () => {
    let world: World;
    let provider: OpenIdProvider;
    before(async () => {
      [world, provider] = await newPair({ PASSWORD_SIGN_IN: 'off' });
    });
    after(async () => {
      await world.close();
      await provider.close();
    });

    it('says so, refuses right passwords too, and starts while the provider is away', async () => {
      provider.away(true);
      const [email, password] = ['ana@example.com', 'correct horse battery'];
      const ana = await world.person('admin', 'Ana Lind', { email, password });
      expect((await request('GET', `${world.base}/sign-in/methods`, undefined, null)).body.password).to.equal(false);
      const { status, body } = await request('POST', `${world.base}/sign-in`, { email, password }, null);
      expect([status, body.code, body.error]).to.deep.equal([
        403,
        'forbidden',
        'Nobody signs in by password here: GET /sign-in/methods says how people do.',
      ]);
      expect((await ana.post('/sign-in/fresh', { password })).status).to.equal(403);
      const { location } = await newSimpleBrowser().get(`${world.base}/sign-in/oidc`);
      expect(problemOf(location)).to.equal('provider_unavailable');
      provider.away(false);
      provider.accounts.set('ana', { email, email_verified: true });
      expect((await signIn(world, 'ana')).problem).to.equal(null);
    });

    it('lets people in who have no password, which only a provider makes possible', async () => {
      const admin = await world.person('admin', 'Head', { fresh: true });
      const cleo = { email: 'cleo@example.com', name: 'Cleo', role: 'viewer', environments: ['demo'] };
      expect((await admin.post('/settings/people', cleo)).status).to.equal(201);
      provider.accounts.set('cleo', { email: cleo.email, email_verified: true });
      const { problem, browser } = await signIn(world, 'cleo');
      expect(problem).to.equal(null);
      expect((await me(world, browser)).body.principal.name).to.equal('Cleo');
    });

    it('refuses an answer that took ten minutes', async () => {
      provider.accounts.set('slow', { email: 'slow@example.com', email_verified: true });
      await world.person('viewer', 'Slow', { email: 'slow@example.com' });
      const browser = newSimpleBrowser();
      const answer = await answerOf(world, browser, await begin(world, browser), 'slow');
      world.clock.advance(10 * 60_000);
      const { location } = await browser.get(answer);
      expect(location).to.equal(`${new URL(world.base).origin}/?signInProblem=not_begun_here`);
      expect(browser.cookie('console_session')).to.equal(undefined);
    });
  });

  describe('where the provider takes the secret in the form alone', () => {
    const email = 'ana@example.com';
    for (const [auth, problem] of [
      ['post', null],
      ['basic', 'provider_refused'],
    ] as const)
      it(`${problem === null ? 'lets people in' : 'lets nobody in'} with OIDC_CLIENT_AUTH=${auth}`, async () => {
        const [world, provider] = await newPair({ OIDC_CLIENT_AUTH: auth }, 'post');
        try {
          provider.accounts.set('ana', { email, email_verified: true });
          await world.person('viewer', 'Ana Lind', { email });
          const { browser, problem: said } = await signIn(world, 'ana');
          expect(said).to.equal(problem);
          expect((await me(world, browser)).status).to.equal(problem === null ? 200 : 401);
        } finally {
          await world.close();
          await provider.close();
        }
      });
  });

  it('is unknown where there is no provider', async () => {
    const world = await newWorld({ workers: false });
    try {
      expect((await request('GET', `${world.base}/sign-in/methods`, undefined, null)).body).to.deep.equal({
        password: true,
        reset: false,
        oidc: null,
      });
      expect((await request('GET', `${world.base}/sign-in/oidc`, undefined, null)).status).to.equal(404);
      const admin = await world.person('admin', 'Head', { fresh: true });
      const nobody = { email: 'cleo@example.com', name: 'Cleo', role: 'viewer' };
      const { status, body } = await admin.post('/settings/people', nobody);
      expect([status, body.details]).to.deep.equal([
        400,
        [{ path: 'password', message: 'is required where people sign in by password alone; or invite them' }],
      ]);
    } finally {
      await world.close();
    }
  });
});
