/** 32. Of whom was erased nothing is left, of everybody else everything, whatever is killed under the erasures. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDb } from '../../../shared/platform/db/knex.ts';
import { verifyAuditChain } from '../../../shared/platform/journal/auditChain.ts';
import { tablesWith } from '../../support/tables.ts';
import { until } from '../../support/until.ts';
import { newClient, type Client } from '../support/client.ts';
import { planFaults, playFaults } from '../support/faults.ts';
import { each, occurrencesOf, timelineOf } from '../support/oracle.ts';
import { ask, newPerson } from '../support/people.ts';
import type { Invariant, Run } from '../support/run.ts';
import type { Site } from '../support/site.ts';

const amounts = {
  short: { killWorker: 3, killApi: 1, flushRedis: 1, crashPostgres: [500] },
  long: {
    killWorker: 25,
    freezeWorker: [4_000, 4_000, 12_000],
    killApi: 6,
    flushRedis: 4,
    crashPostgres: [500, 1_000, 500],
  },
};
const notes = 2;
/** An erasure waits for the chain, which is at most so far behind. */
const doneMs = 90_000;

/** Somebody of whom everything holds a word that nothing else does. */
interface Person {
  readonly id: string;
  readonly word: string;
  item: string;
}

const isErased = ({ id }: Person): boolean => Number(id.slice(1)) % 2 === 0;

/** What a person leaves behind: an item of theirs, texts on it, and a report of an item that all share. */
const leave = async (run: Run, admin: Client, person: Person): Promise<void> => {
  const { id, word } = person;
  const record = { resource: 'customer', id };
  const made = await admin.post('/items', {
    inbox: 'mail',
    title: `${word} asks`,
    data: { email: `${word}@example.com` },
    record,
  });
  run.expect(made.status === 201, `an item was answered ${made.text}`);
  person.item = made.body.item.id as string;
  for (let n = 0; n < notes; n++) await admin.post(`/items/${person.item}/notes`, { text: `${word} called` });
  await admin.post('/items', { inbox: 'bugs', title: `Error of ${word}`, key: 'shared', user: id });
};

const isKept = async (admin: Client, { item, word }: Person): Promise<boolean> => {
  const { title, fields } = (await admin.get(`/items/${item}`)).body.item;
  const noted = (await timelineOf(admin, item)).filter(({ data }) => data.text === `${word} called`);
  return title === `${word} asks` && fields.email === `${word}@example.com` && noted.length === notes;
};

/** Returns the logs of the service's processes that hold the word. */
const logsWith = ({ dir }: Site, word: string): string[] =>
  readdirSync(dir).filter((file) => file.endsWith('.log') && readFileSync(join(dir, file), 'utf8').includes(word));

const judgeChain = async (run: Run, site: Site, name: string): Promise<void> => {
  const [row] = await site.sql<{ id: number }>('select id from environments where name = $1', [name]);
  const db = openDb({ url: site.postgres.ownerUrl, poolSize: 1, applicationName: 'chaos-chain' });
  try {
    const { problems, erased } = await verifyAuditChain(db, row?.id ?? 0, null);
    for (const problem of problems) run.problem(`the audit chain: ${problem}`);
    run.measure('erased audit entries', erased);
  } finally {
    await db.destroy();
  }
};

export const erasedGone: Invariant = {
  number: 32,
  title: 'of whom was erased nothing is left, of everybody else everything',
  site: { short: { apis: 2, workers: 2 }, long: { apis: 2, workers: 3 } },
  run: async (run, site) => {
    const stage = await run.stage(site, 'erasedGone');
    const { admin, env } = stage;
    const boss = await newPerson(site, stage, 'admin', true);
    const bases = stage.bases();
    const baseOf = (): string => run.random.pick(bases);
    const count = run.size('people', { short: 8, long: 200 });
    const overMs = run.size('fault plan ms', { short: 8_000, long: 180_000 });
    const people = Array.from({ length: count }, (_, n): Person => ({
      id: `p${String(n)}`,
      word: `Quux${String(n)}zyx`,
      item: '',
    }));
    const key = newClient(stage.journal, stage.bases, { id: 'key', token: await stage.appKey() });
    const records = people.map(({ id, word }) => ({ id, title: word, fields: {} }));
    const stored = await key.once('POST', `${baseOf()}/resources/customer/records`, { records });
    run.expect(stored.status === 200, `the records were answered ${stored.text}`);
    await each(people, 8, (person) => leave(run, admin, person));
    const gone = people.filter(isErased);
    const faults = playFaults(
      site,
      run.random.fork('victims'),
      planFaults(run.random.fork('plan'), amounts[run.scale], overMs),
      run.tell,
    );
    await each(gone, 4, async ({ id }) => {
      const body = { record: { resource: 'customer', id }, confirmed: true };
      const { status, text } = await ask(boss, baseOf, { method: 'POST', path: '/settings/erasures', body });
      run.expect(status === 202, `an erasure was answered ${String(status)} ${text}`);
    });
    await faults;
    await site.mend();
    const running = 'select count(*)::int as n from erasures where finished_at is null';
    await until('all erasures are done', async () => (await site.sql<{ n: number }>(running))[0]?.n === 0, doneMs);
    await site.settled();

    for (const { word } of gone) {
      const left = await tablesWith(site, word);
      run.expect(left.length === 0, `${word} is left in ${left.join(', ')}`);
      const logs = logsWith(site, word);
      run.expect(logs.length === 0, `${word} is left in ${logs.join(', ')}`);
    }
    for (const person of people.filter((each) => !isErased(each)))
      run.expect(await isKept(admin, person), `${person.word} was not erased, and is not whole`);
    const [first] = (await admin.get('/items?inbox=bugs&limit=1')).body.items as { id: string }[];
    const reports = await occurrencesOf(admin, first?.id ?? '');
    const others = new Map(people.filter((each) => !isErased(each)).map(({ id, word }) => [id, word]));
    for (const { title, user } of reports)
      run.expect(
        user === null ? title === 'Erased' : title === `Error of ${String(others.get(String(user)))}`,
        `a report of ${String(user)} is ${String(title)}`,
      );
    // The inbox keeps the newest hundred.
    run.expect(reports.length === Math.min(count, 100), `${String(reports.length)} reports are listed`);
    await judgeChain(run, site, env);
  },
};
