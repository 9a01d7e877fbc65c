/** 7. What each subscriber folded together equals the lists, without a hole in the chain, whatever happens to the way of a message. */
import type { Client } from '../support/client.ts';
import { planFaults, playFaults } from '../support/faults.ts';
import { heardProblems } from '../support/fold.ts';
import { makeItems, startWriters } from '../support/load.ts';
import { listItems } from '../support/oracle.ts';
import { pause } from '../support/pause.ts';
import { Recorder } from '../support/recorder.ts';
import type { Invariant } from '../support/run.ts';

const amounts = {
  short: { cutPubSub: 6, restartRedis: [1_000], killApi: 1, freezePublisher: [5_000] },
  long: { cutPubSub: 50, restartRedis: [5_000, 1_000, 1_000, 1_000, 1_000], killApi: 5, freezePublisher: [25_000] },
};
const inboxes = ['mail', 'bugs', 'secret'];
const settleMs = 60_000;

interface Listener {
  readonly recorder: Recorder;
  readonly client: Client;
  /** The list that its stream must add up to. */
  readonly query: string;
}

export const streamComplete: Invariant = {
  number: 7,
  title: 'what a subscriber hears is complete',
  site: { short: { apis: 2, workers: 2 }, long: { apis: 2, workers: 2 } },
  run: async (run, site) => {
    const stage = await run.stage(site, 'streamComplete');
    const { admin } = stage;
    await stage.role('partial', [
      { on: 'inbox:mail', can: ['see'] },
      { on: 'inbox:bugs', can: ['see'] },
    ]);
    const partial = await stage.agent('partial');
    const kinds = [
      { client: admin, query: '' },
      { client: partial, query: '' },
      { client: admin, query: 'inboxes=mail' },
    ] as const;
    const clients = run.size('clients', { short: 6, long: 50 });
    const listeners = Array.from({ length: clients }, (_, turn): Listener => {
      const { client, query } = kinds[turn % kinds.length] ?? kinds[0];
      return { client, query: query.replace('inboxes', 'inbox'), recorder: new Recorder(client, { turn, query }) };
    });
    await Promise.all(listeners.map(({ recorder }) => recorder.joined));
    const perInbox = run.size('items an inbox', { short: 20, long: 150 });
    const ids = (await Promise.all(inboxes.map((inbox) => makeItems(admin, perInbox, inbox)))).flat();

    const changes = run.size('changes', { short: 500, long: 10_000 });
    const overMs = run.size('fault plan ms', { short: 10_000, long: 100_000 });
    const count = run.size('writers', { short: 6, long: 24 });
    const writers = startWriters(
      admin,
      ids,
      count,
      run.random.fork('writers'),
      Math.max(0, (overMs * count) / changes - 20),
    );
    await playFaults(
      site,
      run.random.fork('victims'),
      planFaults(run.random.fork('plan'), amounts[run.scale], overMs),
      run.tell,
    );
    while (writers.done() < changes) await pause(100);
    await writers.stop();
    await site.mend();
    await site.settled();

    const lists = new Map<string, Awaited<ReturnType<typeof listItems>>>();
    for (const { client, query } of kinds) {
      const list = query.replace('inboxes', 'inbox');
      lists.set(`${client.id} ${list}`, await listItems(client, list));
    }
    const since = Date.now();
    const expected = listeners.map(({ recorder, client, query }) => ({
      recorder,
      list: lists.get(`${client.id} ${query}`) ?? [],
    }));
    for (const problem of await heardProblems(expected, settleMs)) run.problem(problem);
    run.measure('changes made', writers.done());
    run.measure(
      'messages',
      listeners.reduce((sum, { recorder }) => sum + recorder.messages, 0),
    );
    run.measure(
      'reconnects',
      listeners.reduce((sum, { recorder }) => sum + recorder.connects - 1, 0),
    );
    run.measure('complete after the end s', (Date.now() - since) / 1000);
  },
};
