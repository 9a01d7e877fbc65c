/**
 * A replica of a customer's app whose answers are in its own database, with the effects: sharedStore.test.ts starts it as a
 * process. Its input says at which point of an attempt it kills itself.
 */
import pg from 'pg';
import { ActionFailed, connect, defineApp, type AnswerStore } from '../../shared/sdk/index.ts';
import { until } from '../support/until.ts';

const { URL_OF_ENVIRONMENT: url = '', APP_KEY: key = '', SHOP_DATABASE: connectionString, SHARED } = process.env;
const name = process.argv[2] ?? '';
const shop = new pg.Pool({ connectionString, max: 4 });
const die = (): void => void process.kill(process.pid, 'SIGKILL');

const storeSql = `
  insert into shop_answers as a (run, attempt, answer) values ($1, $2, $3)
  on conflict (run) do update set attempt = excluded.attempt, answer = excluded.answer
  where a.answer ? 'error' and (a.attempt < excluded.attempt or not excluded.answer ? 'error')`;
const store: AnswerStore = {
  shared: SHARED === '1',
  get: async (run) =>
    (await shop.query('select attempt, answer from shop_answers where run = $1', [run])).rows[0] ?? null,
  set: async (run, { attempt, answer }) => {
    await shop.query(storeSql, [run, attempt, answer]);
    if (answer.error?.message === 'Refused, with its replica.') die();
  },
  delete: (run, attempt) => shop.query('delete from shop_answers where run = $1 and attempt = $2', [run, attempt]),
  keys: async () => (await shop.query<{ run: string }>('select run from shop_answers')).rows.map(({ run }) => run),
};

/** Acts and stores the answer in one transaction. */
const pay = async (run: string, attempt: number): Promise<string> => {
  const message = `Paid by ${name}.`;
  const tx = await shop.connect();
  await tx.query('begin');
  await tx.query('insert into shop_effects (run, attempt) values ($1, $2)', [run, attempt]);
  await tx.query(storeSql, [run, attempt, { result: { message } }]);
  await tx.query('commit');
  tx.release();
  return message;
};

const threeActed = async (): Promise<boolean> => (await shop.query('select from shop_effects')).rows.length >= 3;

const action = {
  input: { type: 'object', properties: { ends: { type: 'array', items: { type: 'string' } } } },
  run: async ({ run, attempt, input }: { run: string; attempt: number; input: { ends?: readonly string[] } }) => {
    const end = input.ends?.[attempt - 1];
    if (end === 'before') die();
    if (end === 'refused') throw new ActionFailed('Refused, with its replica.');
    const message = await pay(run, attempt);
    if (end === 'after three') await until('three have acted', threeActed);
    if (end === 'after' || end === 'after three') die();
    return message;
  },
} as const;

const app = defineApp({
  resources: { order: { source: 'stored' } },
  inboxes: {
    mail: {
      reply: {
        via: 'app',
        send: async ({ delivery }) => {
          await pay(delivery, 1);
          die();
        },
      },
    },
  },
  actions: {
    pay: action,
    payLater: { ...action, background: true },
    payOrder: { ...action, resource: 'order', background: true },
  },
});
const client = connect({ app, url, key, store, timing: { retryMinMs: 5, retryMaxMs: 50, resendMs: 300 } });
client.on('online', () => process.stdout.write('online\n'));
