/** Replies that wait while the rights of their authors end: these are not sent, and fail with the reason. */
import { expect } from 'chai';
import { deferred } from '../support/deferred.ts';
import type { Client } from '../support/http.ts';
import { openMailBox } from '../support/mail.ts';
import { until } from '../support/until.ts';
import { useReplyWorld } from './replyWorld.ts';

const writes = [{ on: 'inbox:*', can: ['reply'] }];
const revoked = 'Whoever asked for this may not act here any more.';

describe('replies that wait', () => {
  const here = useReplyWorld();
  const { open, connect, sends, make, look, dataOf, settled } = here;

  const author = async (mode: 'normal' | 'supervised' = 'normal'): Promise<Client> => {
    await here.world.role('writer', writes);
    return here.world.agent('writer', { mode });
  };
  const change = async (text: string, values: unknown[]): Promise<void> => {
    await here.world.sql(text, values);
    await here.world.sql('update revisions set n = n + 1');
  };
  const revoke = ({ id }: Client) => change('update agents set revoked_at = 1 where id = $1', [id]);
  const inMode =
    (mode: string) =>
    ({ id }: Client) =>
      change('update agents set mode = $2 where id = $1', [id, mode]);
  const grant =
    (...grants: object[]) =>
    () =>
      change("update roles set grants = $1 where name = 'writer'", [JSON.stringify(grants)]);
  const ask = async (by: Client, item: { id: string }): Promise<string> => {
    const answer = await by.post(`/items/${item.id}/reply`, { text: 'We have corrected it.' });
    expect(answer.status, answer.text).to.equal(202);
    return answer.body.entry.id as string;
  };
  const waits = () =>
    until(
      'it waits for the app',
      async () => (await here.world.sql("select 1 from staged_jobs where waits_for_app and name = 'replySend'")).length,
    );

  const lost: readonly (readonly [string, (by: Client) => Promise<unknown>, string])[] = [
    ['is revoked', revoke, revoked],
    ['is made read-only', inMode('readonly'), 'This agent is read-only.'],
    ['is supervised', inMode('supervised'), 'This agent is supervised now, and no person has approved this.'],
    [
      'may not reply any more',
      grant({ on: 'inbox:*', can: ['see', 'note'] }),
      'Whoever asked for this may not reply in the inbox mail any more.',
    ],
    [
      'does not see the inbox any more',
      grant({ on: 'inbox:letters', can: ['*'] }),
      'Whoever asked for this may not reply in the inbox mail any more.',
    ],
  ];
  for (const [how, end, why] of lost)
    it(`are not sent when the agent ${how} meanwhile, and the deadline is back`, async () => {
      await open(true);
      const by = await author();
      const item = await make('mail');
      const entry = await ask(by, item);
      await waits();
      await end(by);
      await connect(() => null);
      expect(await settled(item, entry)).to.include({ status: 'failed', error: why });
      expect(sends()).to.deep.equal([]);
      expect((await look(item)).item.dueAt).to.equal(item.dueAt);
      const audit = (await here.agent.get(`/audit?target=${String(item.id)}&verb=item.reply.failed`)).body.entries;
      expect(audit).to.have.length(1);
      expect(audit[0]).to.deep.include({
        outcome: 'failed',
        after: { status: 'failed', error: why, dueAt: item.dueAt },
      });
      expect(audit[0].actor.id).to.equal(by.id);
    });

  it('are not sent when the person is removed meanwhile', async () => {
    await open(true);
    const person = await here.world.person('operator');
    const item = await make('mail');
    const entry = await ask(person, item);
    await waits();
    await change('update people set removed_at = 1 where id = $1', [person.id]);
    await connect(() => null);
    expect(await settled(item, entry)).to.include({ status: 'failed', error: revoked });
    expect(sends()).to.deep.equal([]);
  });

  it('are not sent by a mail server that is back either', async () => {
    const [away, box] = [await openMailBox(), await openMailBox()];
    await open(true, { SMTP_URL: away.url });
    const by = await author();
    const item = await make('letters');
    await away.close();
    const entry = await ask(by, item);
    await until(
      'it was tried',
      async () =>
        (await here.world.sql("select 1 from staged_jobs where name = 'replySend' and payload ? 'attempts'")).length,
    );
    await revoke(by);
    expect(await settled(item, entry)).to.include({ status: 'failed', error: revoked });
    await box.close();
  });

  const approved = async (): Promise<{ by: Client; item: { id: string }; entry: string }> => {
    const by = await author('supervised');
    const item = await make('mail');
    const { body } = await by.post(`/items/${String(item.id)}/reply`, { text: 'We have corrected it.' });
    const person = await here.world.person('operator');
    const decided = await person.post(`/approvals/${String(body.approval)}/approve`);
    expect(decided.status, decided.text).to.equal(200);
    await waits();
    const { timeline } = await look(item);
    return { by, item, entry: timeline.find(({ type }: { type: string }) => type === 'reply').id as string };
  };

  it('are sent when a person has approved them, although their agent is supervised', async () => {
    await open(true);
    const { item, entry } = await approved();
    await connect(() => null);
    const sent = await settled(item, entry);
    expect(sent.status).to.equal('sent');
    expect(sent.approvedBy, 'the entry still says who approved it').to.have.property('type', 'person');
    expect(sends().map(({ delivery }) => delivery)).to.deep.equal([entry]);
  });

  it('are not sent when a person has approved them, and their agent is revoked since', async () => {
    await open(true);
    const { by, item, entry } = await approved();
    await revoke(by);
    await connect(() => null);
    expect(await settled(item, entry)).to.include({ status: 'failed', error: revoked });
    expect(sends()).to.deep.equal([]);
  });

  it('end as the app says once it has them, whatever becomes of their author', async () => {
    await open(true);
    const answer = deferred<null>();
    await connect(() => answer.promise);
    const by = await author();
    const item = await make('mail');
    const entry = await ask(by, item);
    await until('the app has it', () => sends().length === 1);
    await revoke(by);
    expect((await dataOf(item, entry)).status).to.equal('sending');
    answer.resolve(null);
    expect((await settled(item, entry)).status).to.equal('sent');
  });
});
