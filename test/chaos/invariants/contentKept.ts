/** 25. What each report brought is read back, once, although everything is killed under the reports and Redis is emptied. */
import { ActionFailed, connect, defineApp, type Client as AppClient } from '../../../shared/sdk/index.ts';
import { planFaults, playFaults } from '../support/faults.ts';
import { each, listItems, occurrencesOf, timelineOf, type Json } from '../support/oracle.ts';
import { pause } from '../support/pause.ts';
import type { Invariant, Run } from '../support/run.ts';
import type { Stage } from '../support/stage.ts';

const amounts = {
  short: { killApi: 2, flushRedis: 1, restartRedis: [500], crashPostgres: [500], killWorker: 1 },
  long: { killApi: 12, flushRedis: 5, restartRedis: [5_000, 500, 500], crashPostgres: [1_000, 500], killWorker: 5 },
};
const senders = 16;

interface Report {
  readonly key: string;
  readonly title: string;
  readonly data: { readonly plan: string };
}

/** The content of an occurrence or a report, as one text. */
const contentOf = ({ title, data }: { readonly title: string; readonly data: unknown }): string =>
  JSON.stringify([title, data]);

const connectCustomer = async (stage: Stage, run: Run): Promise<AppClient> => {
  const send = (): never => {
    throw new ActionFailed('No replies here.');
  };
  const client = connect({
    app: defineApp({ inboxes: { mail: { reply: { via: 'app', send } } } }),
    url: stage.bases()[0] ?? '',
    key: await stage.appKey(),
    timing: { retryMinMs: 50, retryMaxMs: 1_000 },
    onError: ({ kind, message }) => {
      // Connections break here; a report that is refused is a violation.
      if (kind === 'request') run.problem(`a report was refused: ${message}`);
    },
  });
  if (!client.online)
    await new Promise<void>((resolve) => {
      client.on('online', () => {
        resolve();
      });
    });
  return client;
};

const sameTexts = (a: readonly string[], b: readonly string[]): boolean =>
  JSON.stringify(a.toSorted()) === JSON.stringify(b.toSorted());

/** Compares what an item lists and tells with the reports of its key. */
const judgeItem = async (run: Run, { admin }: Stage, item: Json, reports: readonly Report[]): Promise<void> => {
  const id = item.id as string;
  const occurrences = await occurrencesOf(admin, id);
  const entries = (await timelineOf(admin, id)).filter(({ type }) => type === 'occurred');
  run.expect(
    sameTexts(occurrences.map(contentOf), reports.map(contentOf)),
    `${id} lists ${String(occurrences.length)} occurrences of ${String(reports.length)} reports, or other ones`,
  );
  run.expect(item.occurrences === reports.length, `${id} counts ${String(item.occurrences)} occurrences`);
  run.expect(
    entries.every(
      ({ data }, i) => data.occurrences.to === reports.length - i && data.occurrences.from === reports.length - i - 1,
    ),
    `${id} has entries that don't count one by one`,
  );
  const shown = new Set(entries.map(({ data }) => String(data.occurrence?.id)));
  const others = occurrences.filter((each) => !shown.has(String(each.id)));
  run.expect(
    shown.size === entries.length && others.length === 1,
    `${id} has entries with other occurrences than it lists, or not one that created it`,
  );
};

export const contentKept: Invariant = {
  number: 25,
  title: 'what each report brought is read back, once',
  site: { short: { apis: 2, workers: 1 }, long: { apis: 2, workers: 2 } },
  run: async (run, site) => {
    const stage = await run.stage(site, 'contentKept');
    const { admin } = stage;
    const app = await connectCustomer(stage, run);
    const keys = run.size('keys', { short: 10, long: 50 });
    const count = run.size('reports', { short: 400, long: 5_000 });
    const overMs = run.size('fault plan ms', { short: 8_000, long: 240_000 });
    const reports = Array.from({ length: count }, (_, n): Report => {
      const own = run.random.fork(`report ${String(n)}`);
      return {
        key: `k${String(own.int(0, keys - 1))}`,
        title: `Report ${String(n)}`,
        data: { plan: 'x'.repeat(own.int(0, 2_000)) },
      };
    });
    const faults = playFaults(
      site,
      run.random.fork('victims'),
      planFaults(run.random.fork('plan'), amounts[run.scale], overMs),
      run.tell,
    );
    const gapMs = (overMs * senders) / count;
    const overLink: Promise<unknown>[] = [];
    // Half of them by the app, which queues what it can't send, half over HTTP.
    await each(reports, senders, async (report, n) => {
      if (n % 2 === 0) {
        const sent = app.report({ inbox: 'mail', ...report });
        sent.catch(() => undefined);
        overLink.push(sent);
      } else {
        const { status, text } = await admin.post('/items', { inbox: 'mail', ...report });
        run.expect(status === 200 || status === 201, `a report was answered ${String(status)}: ${text}`);
      }
      await pause(gapMs);
    });
    await faults;
    await site.mend();
    await Promise.all(overLink);
    await app.close();
    await site.settled();

    const byTitle = new Map(reports.map((report) => [report.title, report]));
    const items = await listItems(admin, 'inbox=mail');
    run.expect(items.length === new Set(reports.map(({ key }) => key)).size, `there are ${String(items.length)} items`);
    for (const item of items) {
      const key = byTitle.get(item.title as string)?.key;
      await judgeItem(
        run,
        stage,
        item,
        reports.filter((report) => report.key === key),
      );
    }
    run.measure(
      'versions',
      items.reduce((sum: number, { version }) => sum + Number(version), 0),
    );
  },
};
