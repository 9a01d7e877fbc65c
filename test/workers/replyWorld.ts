/** Shared set-up of the tests of replies: an app and a mail server to send them by, and workers to be killed. */
import type { ChildProcess } from 'node:child_process';
import { expect } from 'chai';
import { connectApp, type FakeApp } from '../support/app.ts';
import type { Client } from '../support/http.ts';
import { openMailBox, type MailBox } from '../support/mail.ts';
import { startProgram, type Program } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const hour = 3_600_000;
const manifest = {
  inboxes: [
    { name: 'mail', responseTime: hour, reply: { via: 'app' } },
    { name: 'urgent', responseTime: 1, reply: { via: 'app' } },
    { name: 'unthreaded', reply: { via: 'smtp', from: 'support@example.com', to: '{{item.fields.email}}' } },
    {
      name: 'letters',
      responseTime: hour,
      reply: {
        via: 'smtp',
        from: 'Support Team <support@example.com>',
        to: '{{item.fields.email}}',
        inReplyTo: '{{item.fields.messageId}}',
      },
    },
  ],
};

/** To be called in a suite: a mail box is open in each of its tests, and the world once the test calls `open`. */
/** The data of a reply's entry. */
interface ReplyData {
  readonly status: string;
  readonly error: string | null;
  readonly approvedBy?: object;
}

export const useReplyWorld = () => {
  let world: World;
  let agent: Client;
  let appKey: Client;
  let box: MailBox;
  let app: FakeApp | null = null;
  const programs: Program[] = [];

  const open = async (workers: boolean, env: Record<string, string> = { SMTP_URL: box.url }): Promise<void> => {
    world = await newWorld({ manifest, workers, env });
    [agent, appKey] = [await world.agent('admin', { name: 'Robin' }), await world.appKey()];
  };
  beforeEach(async () => {
    box = await openMailBox();
  });
  afterEach(async () => {
    await app?.close();
    app = null;
    for (const program of programs.splice(0)) await program.end();
    await world.close();
    await box.close();
  });

  const worker = async (): Promise<ChildProcess> => {
    const program = await startProgram(world, 'workers/main.ts', { SMTP_URL: box.url });
    programs.push(program);
    return program.child;
  };
  const connect = async (handler?: (params: { delivery: string }) => unknown): Promise<FakeApp> => {
    app = await connectApp(appKey, { manifest, handlers: handler === undefined ? {} : { 'reply.send': handler } });
    return app;
  };
  const sends = (): { delivery: string }[] =>
    (app?.received ?? [])
      .filter(({ method }) => method === 'reply.send')
      .map(({ params }) => params as { delivery: string });
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const make = async (inbox: string, email: unknown = 'ada@example.org'): Promise<any> =>
    (await agent.post('/items', { inbox, title: 'Help', data: { email } })).body.item;
  const reply = async (item: { id: string }, text = 'We have corrected it.'): Promise<string> => {
    const answer = await agent.post(`/items/${item.id}/reply`, { subject: 'Your invoice', text });
    expect(answer.status).to.equal(202);
    return answer.body.entry.id as string;
  };
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const look = async (item: { id: string }): Promise<any> => (await agent.get(`/items/${item.id}`)).body;
  const dataOf = async (item: { id: string }, entry: string): Promise<ReplyData> =>
    (await look(item)).timeline.find(({ id }: { id: string }) => id === entry).data;
  /** Not to wait for the backoff, which is data: makes what is staged due. */
  const hurry = () =>
    world.sql("update staged_jobs set due_at = 0 where name = 'replySend' and enqueued_at is null and due_at > 0");
  const ended = (item: { id: string }, entry: string): Promise<ReplyData> =>
    until(
      'it is settled',
      async () => {
        const data = await dataOf(item, entry);
        return data.status !== 'sending' && data;
      },
      30_000,
    );
  const settled = (item: { id: string }, entry: string): Promise<ReplyData> =>
    until(
      'it is settled',
      async () => {
        await hurry();
        const data = await dataOf(item, entry);
        return data.status !== 'sending' && data;
      },
      30_000,
    );

  return {
    open,
    worker,
    connect,
    sends,
    make,
    reply,
    look,
    dataOf,
    ended,
    settled,
    get world() {
      return world;
    },
    get agent() {
      return agent;
    },
    get box() {
      return box;
    },
    /** In place of the one that was open. */
    set box(other: MailBox) {
      box = other;
    },
  };
};
