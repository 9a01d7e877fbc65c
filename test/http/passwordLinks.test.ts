/** People are invited, set their password by a link, and reset it; the links work once, for a time, and tell nothing. */
import { expect } from 'chai';
import { clientOf, request, type Client, type Reply } from '../support/http.ts';
import { openMailBox, type MailBox } from '../support/mail.ts';
import { startProgram } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const password = 'correct horse battery';
const hour = 3_600_000;

describe('links by which people set their password', () => {
  let world: World;
  let box: MailBox;
  let boss: Client;
  let addresses = 0;
  let people = 0;

  before(async () => {
    box = await openMailBox();
    const env = { SMTP_URL: box.url, SMTP_FROM: 'Console <console@example.com>', TRUST_PROXY: '1' };
    world = await newWorld({ env });
    await world.environment('staging');
    boss = await world.person('admin', 'Boss', { fresh: true });
  });
  after(async () => {
    await world.close();
    await box.close();
  });

  const post = (path: string, body: object, environment = '*'): Promise<Reply> => {
    addresses += 1;
    const base = world.base.replace(/demo$/, environment);
    return request('POST', `${base}${path}`, body, null, {
      headers: { 'x-forwarded-for': `10.1.${String(addresses >> 8)}.${String(addresses & 255)}` },
    });
  };
  const newEmail = (): string => `p${String((people += 1))}@example.com`;
  const tokenOf = (text: string): string =>
    /#(?:invitation|reset)=([\w-]+)/.exec(text.replace(/=\r?\n/g, ''))?.[1] ?? '';
  const letters = (email: string): string[] =>
    box.letters.filter(({ to }) => to.includes(email)).map(({ text }) => text.replace(/=3D/g, '='));
  const mailed = async (email: string, count = 1): Promise<string> => {
    await until('the mail is there', () => letters(email).length === count);
    return tokenOf(letters(email).at(-1) ?? '');
  };
  const invite = async (more: object = {}): Promise<{ email: string; id: string; reply: Reply }> => {
    const email = newEmail();
    const reply = await boss.post('/settings/people', { email, name: 'Mia', role: 'operator', invite: true, ...more });
    expect(reply.status, reply.text).to.equal(201);
    return { email, id: reply.body.person.id as string, reply };
  };
  const refused = (reply: Reply, status: number, code: string): void => {
    expect([reply.status, reply.body?.code], reply.text).to.deep.equal([status, code]);
  };

  it('invite a person by mail, who chooses a password, is signed in, and uses the link once', async () => {
    const { email, id, reply } = await invite();
    expect(reply.body.link).to.equal(null);
    const token = await mailed(email);
    expect(box.letters.at(-1)?.from).to.equal('console@example.com');
    refused(await post('/sign-in', { email, password }), 401, 'unauthorized');
    refused(await post('/sign-in/invitation', { token, password: 'password' }), 400, 'invalid');
    refused(await post('/sign-in/reset/confirm', { token, password }), 401, 'unauthorized');
    refused(await post('/sign-in/invitation', { token: `${token.slice(0, -1)}_`, password }), 401, 'unauthorized');
    const accepted = await post('/sign-in/invitation', { token, password });
    expect(accepted.status, accepted.text).to.equal(200);
    expect(accepted.body).to.deep.include({ environments: ['demo'] });
    expect((await clientOf(world.base, accepted.body.token, id).get('/me')).body.fresh).to.equal(true);
    refused(await post('/sign-in/invitation', { token, password: 'another password' }), 401, 'unauthorized');
    expect((await post('/sign-in', { email, password })).status).to.equal(200);
    const kept = await world.sql(
      `select from events where target = $1 and verb = 'person.password' and after->>'by' = $2`,
      [id, 'invitation'],
    );
    expect(kept).to.have.length(1);
  });

  it('keep only a hash of a token, and no job holds it', async () => {
    const { email } = await invite();
    const token = await mailed(email);
    for (const table of ['password_links', 'staged_jobs', 'events', 'idempotency_keys'])
      expect(
        await world.sql(`select from ${table} t where t::text like '%' || $1 || '%'`, [token]),
        table,
      ).to.deep.equal([]);
  });

  it('reset a password: the sessions end, and the link works once and for an hour', async () => {
    const email = newEmail();
    const person = await world.person('operator', 'Leo', { email, password });
    const asked = await post('/sign-in/reset', { email: email.toUpperCase() });
    expect([asked.status, asked.body]).to.deep.equal([202, {}]);
    const first = await mailed(email);
    await post('/sign-in/reset', { email });
    const second = await mailed(email, 2);
    refused(await post('/sign-in/reset/confirm', { token: first, password: 'a newer password' }), 401, 'unauthorized');
    expect((await person.get('/me')).status, 'nothing is changed yet').to.equal(200);
    expect((await post('/sign-in/reset/confirm', { token: second, password: 'a newer password' })).status).to.equal(
      200,
    );
    expect((await person.get('/me')).status).to.equal(401);
    refused(await post('/sign-in', { email, password }), 401, 'unauthorized');
    expect((await post('/sign-in', { email, password: 'a newer password' })).status).to.equal(200);
    refused(await post('/sign-in/reset/confirm', { token: second, password: 'yet another one' }), 401, 'unauthorized');
    const late = newEmail();
    await world.person('operator', 'Late', { email: late, password });
    await post('/sign-in/reset', { email: late });
    const token = await mailed(late);
    world.clock.advance(hour);
    refused(await post('/sign-in/reset/confirm', { token, password: 'a newer password' }), 401, 'unauthorized');
    world.clock.advance(-hour);
    expect((await post('/sign-in/reset/confirm', { token, password: 'a newer password' })).status).to.equal(200);
  });

  it('are void once the password or the e-mail address changes, and once the person is removed', async () => {
    const changes: readonly ((id: string) => Promise<Reply>)[] = [
      (id) => boss.call('PATCH', `/settings/people/${id}`, { password: 'set by the boss' }),
      (id) => boss.call('PATCH', `/settings/people/${id}`, { email: newEmail() }),
      (id) => boss.call('DELETE', `/settings/people/${id}`),
    ];
    for (const change of changes) {
      const { email, id } = await invite();
      const token = await mailed(email);
      expect((await change(id)).status).to.equal(200);
      refused(await post('/sign-in/invitation', { token, password }), 401, 'unauthorized');
    }
  });

  it('tell nobody who exists, and are mailed three times an hour to a person at most', async () => {
    const email = newEmail();
    await world.person('operator', 'Kim', { email, password });
    const unknown = await post('/sign-in/reset', { email: 'nobody@example.com' });
    for (let i = 0; i < 5; i++) {
      const known = await post('/sign-in/reset', { email });
      expect([known.status, known.text]).to.deep.equal([unknown.status, unknown.text]);
    }
    await world.settled();
    expect(letters(email)).to.have.length(3);
    expect(letters('nobody@example.com')).to.deep.equal([]);
    const found = await post('/sign-in/reset/confirm', { token: 'x', password: 'long enough' });
    expect(found.text).to.not.include('@');
  });

  it('are mailed once, also when the worker that sends is killed before it hears the answer', async () => {
    const other = await openMailBox();
    const killed = await newWorld({ workers: false, env: { SMTP_URL: other.url } });
    const admin = await killed.person('admin', 'Admin', { fresh: true });
    other.mood({ kind: 'hang' });
    const body = { email: 'once@example.com', name: 'Once', role: 'viewer', invite: true };
    expect((await admin.post('/settings/people', body)).body.link).to.equal(null);
    const env = { SMTP_URL: other.url };
    const first = await startProgram(killed, 'workers/main.ts', env);
    await until('the server has the whole text', () => other.unanswered() === 1, 20_000);
    first.child.kill('SIGKILL');
    await first.end();
    other.mood({ kind: 'accept' });
    const second = await startProgram(killed, 'workers/main.ts', env);
    const given = await until(
      'the job is given up',
      async () => {
        const [job] = await killed.sql<{ last_error: string | null }>(
          `select last_error from staged_jobs where name = 'passwordMail'`,
        );
        return job?.last_error;
      },
      40_000,
    );
    expect(given).to.include('handed over');
    expect(other.texts()).to.equal(1);
    await second.end();
    await killed.close();
    await other.close();
  });

  it('are answered once where no mail is sent, and resets are not offered there', async () => {
    const silent = await newWorld({ workers: false });
    const admin = await silent.person('admin', 'Admin', { fresh: true });
    const body = { email: 'by-hand@example.com', name: 'By hand', role: 'viewer', invite: true };
    const keyed = { headers: { 'idempotency-key': 'once' } };
    const made = await admin.post('/settings/people', body, keyed);
    const link = made.body.link as string;
    expect(link).to.match(/^http:\/\/[^/]+\/#invitation=[\w-]{32}$/);
    expect((await admin.post('/settings/people', body, keyed)).body.link).to.equal(null);
    const replaced = await admin.call('PATCH', `/settings/people/${String(made.body.person.id)}`, { invite: true });
    refused(
      await request('POST', `${silent.base}/sign-in/invitation`, { token: tokenOf(link), password }, null),
      401,
      'unauthorized',
    );
    const methods = await request('GET', `${silent.base}/sign-in/methods`, undefined, null);
    expect(methods.body).to.deep.equal({ password: true, reset: false, oidc: null });
    const given = { token: tokenOf(String(replaced.body.link)), password };
    expect((await request('POST', `${silent.base}/sign-in/invitation`, given, null)).status).to.equal(200);
    for (const wrong of [
      { ...body, email: 'x@example.com', password },
      { email: 'x@example.com', name: 'X', role: 'viewer' },
    ])
      refused(await admin.post('/settings/people', wrong), 400, 'invalid');
    await silent.close();
  });

  it('are given again to whoever lost theirs or let it expire, and not to whoever has a password', async () => {
    const { email, id } = await invite();
    const lost = await mailed(email);
    const again = await boss.call('PATCH', `/settings/people/${id}`, { invite: true });
    expect([again.status, again.body.link, again.body.person.id], again.text).to.deep.equal([200, null, id]);
    const late = await mailed(email, 2);
    refused(await post('/sign-in/invitation', { token: lost, password }), 401, 'unauthorized');
    world.clock.advance(7 * 24 * hour);
    refused(await post('/sign-in/invitation', { token: late, password }), 401, 'unauthorized');
    world.clock.advance(-7 * 24 * hour);
    const moved = newEmail();
    const change = { invite: true, email: moved };
    refused(await boss.call('PATCH', `/settings/people/${id}`, { ...change, password }), 400, 'invalid');
    expect((await boss.call('PATCH', `/settings/people/${id}`, change)).status).to.equal(200);
    const token = await mailed(moved);
    expect((await post('/sign-in/invitation', { token, password })).status).to.equal(200);
    refused(await boss.call('PATCH', `/settings/people/${id}`, { invite: true }), 409, 'conflict');
    expect(await world.sql(`select from events where target = $1 and verb = 'person.invite'`, [id])).to.have.length(2);
    expect(letters(moved)).to.have.length(1);
  });

  it('sign in needs no environment: the answer names those of the person', async () => {
    const email = newEmail();
    await world.person('operator', 'Everywhere', { email, password });
    const everywhere = await post('/sign-in', { email, password });
    expect([everywhere.status, everywhere.body.environments]).to.deep.equal([200, ['demo', 'staging']]);
    const narrow = newEmail();
    await world.person('operator', 'Narrow', { email: narrow, password, environments: ['staging'] });
    expect((await post('/sign-in', { email: narrow, password })).body.environments).to.deep.equal(['staging']);
    refused(await post('/sign-in', { email: narrow, password }, 'demo'), 404, 'not_found');
    refused(await post('/sign-in', { email: narrow, password: 'wrong' }), 401, 'unauthorized');
  });
});
