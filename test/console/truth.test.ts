/** The console shows what the API answers: after its API was killed, Redis emptied and every socket cut, while changes go on. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askLine } from '../../shared/tools/services/ports.mjs';
import { startRedis, type RedisServer } from '../../shared/tools/services/redis.mjs';
import type { Tab } from '../support/browser.ts';
import { Gate } from '../support/gate.ts';
import { startProgram, type Program } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { loaded, useConsole } from './support.ts';

interface Row {
  readonly id: string;
  readonly title: string;
  readonly state: string;
  readonly tags: readonly string[];
  readonly who: string | null;
}

interface Shown {
  readonly rows: readonly Row[];
  readonly detail: Omit<Row, 'id'>;
  readonly notes: readonly string[];
}

/** Returns what the page shows of its list and of the open item. */
const shownIn = `(() => {
  const texts = (place, selector) => [...place.querySelectorAll(selector)].map(({ textContent }) => textContent.trim());
  const row = (place) => ({
    id: place.id.slice('row-'.length),
    title: texts(place, '.row-title')[0],
    state: place.querySelector('.glyph').ariaLabel,
    tags: texts(place, '.tag'),
    who: place.querySelector('.row-who')?.title ?? null,
  });
  const detail = document.querySelector('.detail');
  const [state, assignee] = texts(detail, '.facts > button:not(.tag)');
  return {
    rows: [...document.querySelectorAll('.row')].map(row),
    detail: {
      title: texts(detail, 'h1')[0],
      state: state.replace('State:', '').trim(),
      tags: texts(detail, '.facts .tag'),
      who: detail.querySelector('.facts .initials')?.title ?? null,
    },
    notes: texts(detail, '.written.note > .prose'),
  };
})()`;

/** Changes of the open item after each fault: a page of its timeline has all of them. */
const openMost = 5;
const states = ['open', 'waiting', 'closed'];

describe('what the console shows', () => {
  let dir = '';
  let redis: RedisServer | undefined;
  let api: Program | undefined;
  let gate: Gate | undefined;
  let tab: Tab;
  let open = '';
  const ids: string[] = [];
  /** Where the page reads its list. */
  let listAddress = '';
  let notes = 0;
  const of = useConsole({
    world: async () => {
      dir = await mkdtemp(join(tmpdir(), 'console-truth-'));
      redis = await startRedis({ dir });
      return { env: { REDIS_URL: redis.url } };
    },
    arrange: async ({ newItem, open: openTab, signIn, world }) => {
      for (let n = 0; n < 8; n++) ids.push(await newItem(`Question ${String(n)}`));
      open = ids[0] ?? '';
      api = await startProgram(world, 'api/main.ts');
      gate = new Gate(new URL(`http://127.0.0.1:${api.port}`));
      tab = await openTab();
      // Cookies know no ports.
      await signIn(tab, 'ana@example.com', '');
      tab.page.on('request', (request) => {
        const { pathname, search } = new URL(request.url());
        if (pathname.endsWith('/items') && search.includes('inbox=mail')) listAddress = `/items${search}`;
      });
      await tab.page.goto(new URL(`/env/demo/inbox/mail?show=all&item=${open}`, await gate.listen()).href);
      await tab.page.locator('.timeline').waitFor();
      await loaded(tab.page);
    },
  });
  after(async () => {
    gate?.close();
    await api?.end();
    await redis?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  const answered = async (): Promise<Shown> => {
    const { ana, ben, vera } = of();
    const names = new Map([
      [ana.id, 'Ana Lind'],
      [ben.id, 'Ben Okoro'],
      [vera.id, 'Vera Holt'],
    ]);
    const rowOf = (item: Record<string, unknown>): Row => ({
      id: String(item['id']),
      title: String(item['title']),
      state: String(item['state']),
      tags: item['tags'] as readonly string[],
      who: names.get(String(item['assignee'])) ?? null,
    });
    const { body: list } = await ana.get(listAddress);
    const { body: detail } = await ana.get(`/items/${open}`);
    const { id: _id, ...one } = rowOf(detail.item);
    const written = (detail.timeline as { type: string; data: { text: string } }[]).filter(
      ({ type }) => type === 'note',
    );
    return { rows: list.items.map(rowOf), detail: one, notes: written.map(({ data }) => data.text).toReversed() };
  };
  const byId = (rows: readonly Row[]): readonly Row[] => rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));

  /** Makes one change after the other, each in a frame of the page, until `work` has ended, and some at least. */
  const whileChanging = async (work: () => Promise<void>): Promise<void> => {
    const { ben, ana } = of();
    let isOver = false;
    let [made, ofOpen] = [0, 0];
    const change = async (n: number): Promise<void> => {
      const id = ids[n % ids.length] ?? '';
      const who = n % 2 === 0 ? ben : ana;
      if (id === open) {
        if (ofOpen++ >= openMost) return;
        notes += 1;
        await who.post(`/items/${id}/notes`, { text: `Note ${String(notes)}` });
      }
      if (n % 3 === 0) await who.post(`/items/${id}/state`, { state: states[(n / 3) % 3] });
      else if (n % 3 === 1) await who.post(`/items/${id}/assign`, { assignee: [ana.id, ben.id, null][n % 4] ?? null });
      else await who.post(`/items/${id}/tags`, n % 2 === 0 ? { add: ['even'], remove: ['odd'] } : { add: ['odd'] });
    };
    const changing = (async () => {
      while (!isOver) {
        await change(made);
        made += 1;
        await tab.page.evaluate('new Promise(requestAnimationFrame)');
      }
    })();
    try {
      await work();
      await until('changes went on', () => made >= ids.length * 2);
    } finally {
      isOver = true;
      await changing;
    }
  };
  const healed = async (): Promise<void> => {
    const text = `Heard ${String(Math.random())}`;
    await of().ben.post(`/items/${ids[1] ?? ''}/tags`, { add: [text.slice(0, 12)] });
    await tab.page.locator(`#row-${ids[1] ?? ''} .tag`, { hasText: text.slice(0, 12) }).waitFor();
    await of().ben.post(`/items/${ids[1] ?? ''}/tags`, { remove: [text.slice(0, 12)] });
  };

  const faults: readonly (readonly [string, () => Promise<void>])[] = [
    [
      'its API process was killed and started again',
      async () => {
        const port = api?.port ?? '';
        await api?.end();
        await tab.page.getByText(/^complete to /).waitFor({ state: 'detached' });
        api = await startProgram(of().world, 'api/main.ts', { PORT: port });
      },
    ],
    ['Redis was emptied', async () => void (await askLine(redis?.port ?? 0, 'FLUSHALL\r\n'))],
    [
      'every socket was cut',
      async () => {
        gate?.shut();
        await tab.page.getByText(/^complete to /).waitFor({ state: 'detached' });
        if (gate !== undefined) gate.open = true;
      },
    ],
  ];
  for (const [what, happen] of faults)
    it(`is what the API answers, list and open item, after ${what}, while changes go on`, async () => {
      const { page } = tab;
      let fresh = '';
      await whileChanging(async () => {
        await happen();
        fresh = await of().newItem(`New after ${what}`);
        await healed();
      });
      await page.getByRole('button', { name: '1 new, show it' }).waitFor();
      const isEqual = async (order: (rows: readonly Row[]) => readonly Row[], without: string): Promise<boolean> => {
        const [shown, wanted] = [await page.evaluate<Shown>(shownIn), await answered()];
        const listed = wanted.rows.filter(({ id }) => id !== without);
        return (
          JSON.stringify({ ...shown, rows: order(shown.rows) }) === JSON.stringify({ ...wanted, rows: order(listed) })
        );
      };
      await until('the page shows what the API answers', () => isEqual(byId, fresh), 30_000);
      await page.locator('h1').first().click();
      await page.keyboard.press('l');
      await page.locator(`#row-${fresh}`).waitFor();
      await until('a list that is read anew is the API’s, in its order', () => isEqual((rows) => rows, ''), 30_000);
      await loaded(page);
    });
});
