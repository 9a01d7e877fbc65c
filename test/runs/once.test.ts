/** Runs through the real SDK: dispatched again only where that is harmless, and audited under who did what. */
import { expect } from 'chai';
import { requestCounter } from '../../shared/app/link/metrics.ts';
import { ActionFailed, connect, defineApp, type Client as AppClient } from '../../shared/sdk/index.ts';
import type { Client } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

interface Run {
  readonly status: string;
  readonly message: string | null;
  readonly attempts: number;
}

/** Longer than the service's first wait before it tries again, so that the app hands in what it keeps while it acts again. */
const resendMs = 1_300;

describe('actions: once, through the SDK', () => {
  let world: World;
  let agent: Client;
  let app: AppClient;
  const acted: { run: string; attempt: number }[] = [];
  let isOpen = false;
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = () => {
      isOpen = true;
      resolve();
    };
  });
  /** How often the app has handed in answers that it keeps. */
  const handedIn = async (): Promise<number> => {
    const { values } = await requestCounter.get();
    return values.filter(({ labels }) => labels.method === 'run.answers').reduce((sum, { value }) => sum + value, 0);
  };
  const declared = defineApp({
    actions: {
      busy: {
        background: true,
        run: ({ run, attempt }) => {
          acted.push({ run, attempt });
          if (acted.filter((act) => act.run === run).length < 3)
            throw new ActionFailed('The till is busy.', { retryable: true });
          return 'Done at last.';
        },
      },
      restless: {
        background: true,
        run: () => {
          if (!isOpen) throw new ActionFailed('Not yet.', { retryable: true });
          return 'Done at last.';
        },
      },
      plain: { run: () => 'Done.' },
      slow: {
        background: true,
        run: async ({ run, attempt }) => {
          acted.push({ run, attempt });
          if (attempt === 1) throw new ActionFailed('The till is busy.', { retryable: true });
          await opened;
          return 'Done at last.';
        },
      },
    },
  });
  const online = async (): Promise<void> => {
    app = connect({
      app: declared,
      url: world.base,
      key: (await world.appKey()).token,
      startedAt: Date.now(),
      timing: { resendMs },
      onError: () => undefined,
    });
    await until('the app is online', () => app.online);
  };

  before(async () => {
    world = await newWorld();
    agent = await world.agent('admin');
    await online();
  });
  after(async () => {
    await app.close();
    await world.close();
  });

  const ended = (id: string): Promise<Run> =>
    until(
      'it has ended',
      async () => {
        const { run } = (await agent.get(`/runs/${id}`)).body as { run: Run };
        return run.status !== 'running' && run;
      },
      15_000,
    );

  it('lets the app act again when it said that it may be tried again, and counts the attempts for it', async () => {
    const { status, body, text } = await agent.post('/actions', { action: 'busy' });
    expect(status, text).to.equal(202);
    expect(await ended(String(body.run))).to.include({ status: 'succeeded', message: 'Done at last.', attempts: 3 });
    expect(acted.filter(({ run }) => run === body.run).map(({ attempt }) => attempt)).to.deep.equal([1, 2, 3]);
  });

  it('hands in no former failure while the app acts again, however long that takes', async () => {
    const { body } = await agent.post('/actions', { action: 'slow' });
    await until('it acts again', () => acted.filter(({ run }) => run === body.run).length === 2, 10_000);
    // The app hands in everything that it has kept for that long at once, so a failure that came later goes last.
    const before = await handedIn();
    const later = (await agent.post('/actions', { action: 'restless' })).body;
    await until('the app hands in the later failure', async () => (await handedIn()) > before, 15_000);
    open();
    expect(await ended(String(body.run))).to.include({ status: 'succeeded', message: 'Done at last.', attempts: 2 });
    expect(acted.filter(({ run }) => run === body.run)).to.have.length(2);
    expect(await ended(String(later.run))).to.include({ status: 'succeeded' });
  });

  it('audits a cancelled run under the request that cancelled it', async () => {
    await app.close();
    const { body } = await agent.post('/actions', { action: 'plain' }, { headers: { 'x-request-id': 'asks' } });
    const other = await world.agent('operator');
    expect(
      (await other.post(`/runs/${String(body.run)}/cancel`, {}, { headers: { 'x-request-id': 'cancels' } })).status,
    ).to.equal(200);
    const { entries } = (await agent.get(`/audit?target=${String(body.run)}`)).body as {
      entries: { verb: string; requestId: string; actor: { id: string } }[];
    };
    expect(entries.map(({ verb, requestId, actor }) => [verb, requestId, actor.id])).to.deep.equal([
      ['action.cancel', 'cancels', other.id],
      ['action.run', 'asks', agent.id],
    ]);
    await online();
  });
});
