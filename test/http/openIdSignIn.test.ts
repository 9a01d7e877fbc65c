/** People sign in by an OpenID Connect provider, which is a real one, and only those whom it and this service both know. */
import { expect } from 'chai';
import { request, type Client } from '../support/http.ts';
import { newSimpleBrowser, type OpenIdProvider } from '../support/openId.ts';
import { type World } from '../support/world.ts';
import { answerOf, audited, begin, me, newPair, problemOf, signIn } from './openIdFlow.ts';

const hour = 3_600_000;

describe('signing in by OpenID Connect', () => {
  describe('where people have to be known', () => {
    let world: World;
    let provider: OpenIdProvider;
    let count = 0;

    before(async () => {
      [world, provider] = await newPair();
    });
    after(async () => {
      await world.close();
      await provider.close();
    });

    /** A person of the service, and their account at the provider. */
    const known = async (claims: object = {}): Promise<{ person: Client; account: string; email: string }> => {
      count += 1;
      const [account, email] = [`account-${String(count)}`, `p${String(count)}@example.com`];
      provider.accounts.set(account, { email, email_verified: true, name: 'At the provider', ...claims });
      return { person: await world.person('operator', 'Ana Lind', { email, environments: ['demo'] }), account, email };
    };

    it('says how people sign in', async () => {
      const { status, body } = await request('GET', `${world.base}/sign-in/methods`, undefined, null);
      expect([status, body]).to.deep.equal([200, { password: true, reset: false, oidc: { label: 'Example Login' } }]);
      expect((await request('GET', `${world.base}/sign-in/methods?x=1`, undefined, null)).status).to.equal(400);
    });

    it('asks the provider with PKCE, state and nonce, and opens the session that a password opens', async () => {
      const { person, account } = await known();
      const browser = newSimpleBrowser();
      const sent = await browser.get(
        `${world.base}/sign-in/oidc?returnTo=${encodeURIComponent('/env/demo/items?x=1#y')}`,
      );
      expect(sent.status).to.equal(303);
      const asked = new URL(sent.location ?? '');
      expect(asked.origin).to.equal(provider.issuer);
      for (const name of ['state', 'nonce', 'code_challenge'])
        expect(asked.searchParams.get(name), name).to.match(/^[\w-]{43}$/);
      expect(asked.searchParams.get('code_challenge_method')).to.equal('S256');
      expect(asked.searchParams.has('max_age')).to.equal(false);
      const page = await browser.follow(asked.href);
      const { status, location } = await browser.get(await answerOf(world, browser, page.url, account));
      expect([status, location]).to.deep.equal([303, `${new URL(world.base).origin}/env/demo/items?x=1#y`]);
      expect(browser.cookie('console_sign_in'), 'the flow is over').to.equal(undefined);
      const { body } = await me(world, browser);
      expect(body.principal).to.deep.equal({ type: 'person', id: person.id, name: 'Ana Lind', mode: 'normal' });
      expect(body.fresh).to.equal(true);
      const [row] = await world.sql<{ expires_at: number; fresh_until: number; address: string }>(
        'select expires_at, fresh_until, address from tokens where principal = $1 order by created_at desc limit 1',
        [person.id],
      );
      expect(row?.expires_at).to.be.within(Date.now() + 12 * hour - 60_000, Date.now() + 12 * hour);
      expect(row?.fresh_until).to.be.within(Date.now() + hour / 4 - 60_000, Date.now() + hour / 4);
      expect(row?.address).to.equal('127.0.0.1');
      expect((await audited(world, 'person.signIn')).at(-1)).to.deep.include({ actor: person.id, outcome: 'ok' });
      expect((await audited(world, 'person.link')).at(-1)).to.deep.include({
        actor_type: 'system',
        target: person.id,
        after: { issuer: provider.issuer },
      });
    });

    it('binds the flow to the browser by a short-lived cookie that no script reads', async () => {
      const { headers } = await fetch(`${world.base}/sign-in/oidc`, { redirect: 'manual' });
      expect(headers.get('set-cookie')).to.match(
        /^console_sign_in=[\w-]+; Path=\/api\/sign-in\/oidc\/callback; Max-Age=600; HttpOnly; SameSite=Lax$/,
      );
      expect(headers.get('set-cookie')).to.not.include('demo');
    });

    it('is not fresh when the provider remembered the person', async () => {
      const { account } = await known();
      provider.agoSeconds = 3600;
      const { browser } = await signIn(world, account);
      provider.agoSeconds = 0;
      const { body } = await me(world, browser);
      expect([body.principal.type, body.fresh]).to.deep.equal(['person', false]);
    });

    it('refuses an answer to another state, one of another browser, and a forged flow', async () => {
      const { account } = await known();
      const browser = newSimpleBrowser();
      const answer = new URL(await answerOf(world, browser, await begin(world, browser), account));
      answer.searchParams.set('state', 'x'.repeat(43));
      expect(problemOf((await browser.get(answer.href)).location)).to.equal('not_begun_here');
      expect(problemOf((await newSimpleBrowser().get(answer.href)).location)).to.equal('not_begun_here');

      const other = newSimpleBrowser();
      const right = await answerOf(world, other, await begin(world, other), account);
      const flow = other.cookie('console_sign_in') ?? '';
      other.setCookie('console_sign_in', `${flow.slice(0, -2)}${flow.endsWith('AA') ? 'BB' : 'AA'}`);
      expect(problemOf((await other.get(right)).location)).to.equal('not_begun_here');
    });

    it('takes an answer once', async () => {
      const { account } = await known();
      const browser = newSimpleBrowser();
      const answer = await answerOf(world, browser, await begin(world, browser), account);
      const flow = browser.cookie('console_sign_in') ?? '';
      expect(problemOf((await browser.get(answer)).location)).to.equal(null);
      expect(problemOf((await browser.get(answer)).location)).to.equal('not_begun_here');
      // Not even with the cookie, which somebody kept: the provider takes its code once.
      const headers = { cookie: `console_sign_in=${flow}` };
      const again = await fetch(answer, { redirect: 'manual', headers });
      expect(problemOf(again.headers.get('location'))).to.equal('provider_refused');
      expect(again.headers.get('set-cookie')).to.not.include('console_session');
    });

    it('refuses a token that was made for another nonce', async () => {
      const { account } = await known();
      const browser = newSimpleBrowser();
      const asked = new URL((await browser.get(`${world.base}/sign-in/oidc`)).location ?? '');
      asked.searchParams.set('nonce', 'y'.repeat(43));
      const page = await browser.follow(asked.href);
      const { location } = await browser.get(await answerOf(world, browser, page.url, account));
      expect(problemOf(location)).to.equal('invalid_answer');
      expect(browser.cookie('console_session')).to.equal(undefined);
    });

    it('refuses a code that another verifier belongs to', async () => {
      const { account } = await known();
      const [one, two] = [newSimpleBrowser(), newSimpleBrowser()];
      const stolen = new URL(await answerOf(world, one, await begin(world, one), account));
      const own = new URL(await answerOf(world, two, await begin(world, two), account));
      own.searchParams.set('code', stolen.searchParams.get('code') ?? '');
      expect(problemOf((await two.get(own.href)).location)).to.equal('provider_refused');
    });

    it('refuses an address that is not verified, and one that nobody here has', async () => {
      for (const verified of [false, undefined, 'no']) {
        const { account } = await known({ email_verified: verified });
        expect((await signIn(world, account)).problem).to.equal('email_unverified');
      }
      provider.accounts.set('stranger', { email: 'stranger@example.com', email_verified: true });
      const { browser, problem } = await signIn(world, 'stranger');
      expect([problem, browser.cookie('console_session')]).to.deep.equal(['unknown_person', undefined]);
      const last = (await audited(world, 'person.signIn')).at(-1);
      expect(last).to.deep.include({
        actor: null,
        outcome: 'denied',
        after: { code: 'forbidden', problem: 'unknown_person' },
      });
      expect(last?.['actor_name']).to.match(/^sha256:[0-9a-f]{64}$/);
    });

    it('knows people by their subject: neither a changed address nor a given away one opens another account', async () => {
      const { person, account, email } = await known();
      await signIn(world, account);
      provider.accounts.set(account, { email: 'ana.new@example.com', email_verified: true });
      const { browser, problem } = await signIn(world, account);
      expect(problem).to.equal(null);
      expect((await me(world, browser)).body.principal.id).to.equal(person.id);
      provider.accounts.set('successor', { email: email.toUpperCase(), email_verified: true });
      expect((await signIn(world, 'successor')).problem).to.equal('other_identity');
    });

    it('refuses people who were removed, and lets them be let in anew under another subject', async () => {
      const { person, account, email } = await known();
      await signIn(world, account);
      const admin = await world.person('admin', 'Boss', { fresh: true });
      expect((await admin.call('DELETE', `/settings/people/${person.id}`)).status).to.equal(200);
      expect((await signIn(world, account)).problem).to.equal('removed');
      const input = { email, name: 'Ana again', role: 'viewer', password: 'correct horse battery' };
      expect((await admin.post('/settings/people', input)).status).to.equal(201);
      provider.accounts.set('anew', { email, email_verified: true });
      expect((await signIn(world, 'anew')).problem).to.equal(null);
      expect((await signIn(world, account)).problem).to.equal('other_identity');
    });

    it('refuses an environment that is not theirs like one that does not exist', async () => {
      const { account } = await known();
      for (const environment of ['staging', 'nosuch']) {
        const browser = newSimpleBrowser();
        const page = (await browser.follow(`${world.base.replace('demo', environment)}/sign-in/oidc`)).url;
        const { location } = await browser.get(await answerOf(world, browser, page, account));
        expect(location).to.equal(`${new URL(world.base).origin}/env/${environment}?signInProblem=no_access`);
        expect(browser.cookie('console_session')).to.equal(undefined);
      }
    });

    it('begins in no environment in particular, and ends in the first one of the person', async () => {
      const { account } = await known();
      const browser = newSimpleBrowser();
      const page = (await browser.follow(`${world.base.replace('demo', '*')}/sign-in/oidc?returnTo=/`)).url;
      const { location } = await browser.get(await answerOf(world, browser, page, account));
      expect(location).to.equal(`${new URL(world.base).origin}/env/demo`);
      expect((await me(world, browser)).body.environment).to.equal('demo');
    });

    it('comes back to pages of its own only', async () => {
      for (const returnTo of [
        'https://evil.example/env/demo',
        '//evil.example/env/demo',
        '/\\evil.example/env/demo',
        '/\t/evil.example/env/demo',
        '\\\\evil.example',
        'javascript:alert(1)',
        '/env/../../api/env/demo/me',
        '/api/env/demo/sign-in/oidc',
        '/elsewhere',
        'env/demo',
      ]) {
        const url = `${world.base}/sign-in/oidc?returnTo=${encodeURIComponent(returnTo)}`;
        const { status, body } = await request('GET', url, undefined, null);
        expect([status, body?.code, body?.details?.[0]?.path], returnTo).to.deep.equal([400, 'invalid', 'returnTo']);
      }
    });

    it('tells the page that the person said no, and nothing of what the provider wrote', async () => {
      const browser = newSimpleBrowser();
      const page = await begin(world, browser);
      const sent = await browser.post(`${page}/refuse`, {});
      const { location } = await browser.follow(sent.location ?? '', (url) => url.includes('signInProblem'));
      expect(location).to.equal(`${new URL(world.base).origin}/env/demo?signInProblem=provider_refused`);
    });

    describe('fresh sign-in', () => {
      const stale = (id: string): Promise<unknown> =>
        world
          .sql('update tokens set fresh_until = 1 where principal = $1', [id])
          .then(() => world.sql('update revisions set n = n + 1'))
          .then(() => world.deps.directory.refresh());

      it('asks the provider for a new sign-in with max_age=0, and makes the same session fresh', async () => {
        const { person, account } = await known();
        const { browser } = await signIn(world, account);
        await stale(person.id);
        const [before, shown] = [browser.cookie('console_session'), provider.shown()];
        const sent = await browser.get(`${world.base}/sign-in/oidc?fresh=true`);
        const asked = new URL(sent.location ?? sent.text);
        expect([asked.searchParams.get('max_age'), asked.searchParams.get('prompt')]).to.deep.equal(['0', null]);
        const page = await browser.follow(asked.href);
        expect(provider.shown(), 'the provider remembers them and asks all the same').to.equal(shown + 1);
        const { location } = await browser.get(await answerOf(world, browser, page.url, account));
        expect(problemOf(location)).to.equal(null);
        expect(browser.cookie('console_session')).to.equal(before);
        expect((await me(world, browser)).body.fresh).to.equal(true);
        expect((await audited(world, 'person.freshSignIn')).at(-1)).to.deep.include({
          actor: person.id,
          outcome: 'ok',
        });
      });

      it('asks once more by prompt=login a provider that did not ask the person, and believes no old sign-in', async () => {
        const { person, account } = await known();
        provider.agoSeconds = 3600;
        const { browser } = await signIn(world, account);
        await stale(person.id);
        const sent = await browser.get(`${world.base}/sign-in/oidc?fresh=true`);
        const asked = new URL(sent.location ?? sent.text);
        asked.searchParams.delete('max_age');
        const isOurs = (url: string): boolean => url.startsWith(new URL(world.base).origin);
        const { location: silent } = await browser.follow(asked.href, isOurs);
        const again = new URL((await browser.get(silent ?? '')).location ?? '');
        expect([again.origin, again.searchParams.get('prompt')]).to.deep.equal([provider.issuer, 'login']);
        const page = await browser.follow(again.href);
        // Of this provider the clock is an hour behind.
        const old = await browser.get(await answerOf(world, browser, page.url, account));
        expect(problemOf(old.location)).to.equal('not_fresh');
        expect((await me(world, browser)).body.fresh).to.equal(false);
        provider.agoSeconds = 0;
        const { problem } = await signIn(world, account, '?fresh=true', browser);
        expect([problem, (await me(world, browser)).body.fresh]).to.deep.equal([null, true]);
      });

      it('is for the person of the session alone, and needs one', async () => {
        const [one, two] = [await known(), await known()];
        const { browser } = await signIn(world, one.account);
        await stale(one.person.id);
        const other = newSimpleBrowser();
        other.setCookie('console_session', browser.cookie('console_session') ?? '');
        expect((await signIn(world, two.account, '?fresh=true', other)).problem).to.equal('other_person');
        expect((await me(world, browser)).body.fresh).to.equal(false);
        expect((await request('GET', `${world.base}/sign-in/oidc?fresh=true`, undefined, null)).status).to.equal(401);
      });
    });

    it('says that the provider is away, and goes on when it is back', async () => {
      const { account } = await known();
      const browser = newSimpleBrowser();
      const answer = await answerOf(world, browser, await begin(world, browser), account);
      provider.away(true);
      const { location } = await browser.get(answer);
      provider.away(false);
      expect(location).to.equal(`${new URL(world.base).origin}/env/demo?signInProblem=provider_unavailable`);
      expect((await signIn(world, account)).problem).to.equal(null);
    });
  });
});
