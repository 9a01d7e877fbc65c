/** Archives a month, proves its file and restores it: how long that takes, sizes before and after, and how long others wait meanwhile. */
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { openDb } from '../../../shared/platform/db/knex.ts';
import { chainNextRange } from '../../../shared/platform/journal/auditChain.ts';
import { program } from '../../../shared/tools/services/compile.mjs';
import { runProcess } from '../../../shared/tools/services/processes.mjs';
import { newApiClient, type ApiClient } from '../apiClient.ts';
import type { Bench, Suite } from '../bench.ts';
import { environment, type Database } from '../database.ts';
import { median } from '../numbers.ts';
import { fillPast, itemsCreated } from '../past.ts';
import type { Figure } from '../report.ts';

const suite = 'archives';
const [full, quick] = [1_000_000, 50_000];
/** The first of so many months is archived: nothing of the last 31 days can be. */
const months = 3;
const probed = 200;
const rowsAtOnce = 2_000;
const megabyte = 2 ** 20;

/** Chains the entries, and says that their texts are indexed, for which archives wait. */
const settle = async ({ ownerUrl, env, sql }: Database): Promise<void> => {
  const [newest] = await sql<{ id: string }>('select max(id) as id from events');
  await sql('update item_words_progress set event = $1', [newest?.id]);
  const db = openDb({ url: ownerUrl, poolSize: 1, applicationName: 'bench-chain' });
  try {
    while (await chainNextRange(db, env, Number(newest?.id), Date.now()));
  } finally {
    await db.destroy();
  }
};

/** Writes the rows of a part as compressed lines, and proves nothing: the limit of `archive`. */
const writeLines = async ({ ownerUrl }: Database, part: string, path: string): Promise<void> => {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  const lines = async function* (): AsyncGenerator<string> {
    await client.query(
      `begin; declare lines no scroll cursor for select row_to_json(e)::text as line from ${part} e order by id`,
    );
    for (;;) {
      const { rows } = await client.query<{ line: string }>(`fetch ${String(rowsAtOnce)} from lines`);
      if (rows.length === 0) return;
      yield rows.map(({ line }) => `${line}\n`).join('');
    }
  };
  try {
    await pipeline(Readable.from(lines()), createGzip(), createWriteStream(path, { flush: true }));
  } finally {
    await client.end();
  }
};

interface Sizes {
  readonly rows: number;
  readonly indexes: number;
  readonly database: number;
}

/** Returns sizes in MB; a part that is gone has none. */
const sizesOf = async ({ sql }: Database, part: string): Promise<Sizes> => {
  const [found] = await sql<Record<keyof Sizes, string | null>>(
    `select pg_table_size(to_regclass($1)) as rows, pg_indexes_size(to_regclass($1)) as indexes, pg_database_size(current_database()) as database`,
    [part],
  );
  const of = (name: keyof Sizes): number => Number(found?.[name] ?? 0) / megabyte;
  return { rows: of('rows'), indexes: of('indexes'), database: of('database') };
};

/** Runs `npm run admin -- archive …` with `--json`. */
const archive = async ({ env }: Bench, ...words: readonly string[]): Promise<string> => {
  const child = await program('shared/tools/cli/admin.ts', ['archive', ...words, '--json']);
  const { code, output, stdout } = await runProcess(child, { env: { ...process.env, ...env } });
  if (code !== 0) throw new Error(`archive ${words.join(' ')} ended with ${String(code)}:\n${output}`);
  return stdout;
};

interface Waits {
  readonly reads: readonly number[];
  readonly changes: readonly number[];
}

/** Reads timelines that begin in the archived month and writes notes, one after the other, until `work` ends. */
const waitsDuring = async <R>(
  call: ApiClient,
  items: readonly string[],
  work: () => Promise<R>,
): Promise<Waits & { readonly result: R; readonly seconds: number }> => {
  const [reads, changes]: [number[], number[]] = [[], []];
  const timed = async (times: number[], path: string, body?: object): Promise<void> => {
    const since = performance.now();
    await call(path, body);
    times.push(performance.now() - since);
  };
  const since = performance.now();
  let going = true;
  const working = work().finally(() => {
    going = false;
  });
  for (let n = 0; going; n++) {
    const item = items[n % items.length] ?? '';
    await timed(reads, `/items/${item}/timeline?limit=10`);
    await timed(changes, `/items/${item}/notes`, { text: `Note ${String(n)}` });
  }
  return { reads, changes, result: await working, seconds: (performance.now() - since) / 1_000 };
};

const waitsText = (alone: Waits, beside: Waits): string =>
  (['reads', 'changes'] as const)
    .map(
      (kind) =>
        `${kind} ${median(beside[kind]).toFixed(1)} ms (alone ${median(alone[kind]).toFixed(1)}), the longest ${Math.max(...beside[kind]).toFixed(0)} ms (${Math.max(...alone[kind]).toFixed(0)})`,
    )
    .join('; ');

const measure = async (bench: Bench, folder: string): Promise<Figure[]> => {
  const { database, options, say } = bench;
  const items = await itemsCreated(database, { inbox: 'support', count: probed, months });
  const events = options.quick ? quick : full;
  const [part = ''] = await fillPast(database, { events, months, filled: 1 }, [...items, ...items]);
  const chaining = performance.now();
  await settle(database);
  say(`${events.toLocaleString('en-US')} entries chained in ${((performance.now() - chaining) / 1_000).toFixed(0)} s`);

  const api = await bench.api();
  const { token } = await database.token('admin');
  const call = newApiClient(`http://127.0.0.1:${String(api.port)}/api/env/${environment}`, token);
  const limitFile = join(folder, 'limit.gz');
  const limitSince = performance.now();
  await writeLines(database, part, limitFile);
  const limit = (performance.now() - limitSince) / 1_000;
  const alone = await waitsDuring(
    call,
    items,
    () => new Promise((resolve) => setTimeout(resolve, options.seconds * 1_000)),
  );

  const before = await sizesOf(database, part);
  const day = new Date(Date.now() - 32 * 86_400_000).toISOString().slice(0, 10);
  const written = await waitsDuring(call, items, () => archive(bench, '--before', day, '--to', folder));
  const after = await sizesOf(database, part);
  const { archives } = JSON.parse(written.result) as { archives: { file: string; bytes: number; events: number }[] };
  const [file] = archives;
  if (file === undefined || file.events < events || after.rows > 0) throw new Error('The month was not archived.');
  const verified = await waitsDuring(call, items, () => archive(bench, 'verify', file.file));
  const restored = await waitsDuring(call, items, () => archive(bench, 'restore', file.file));
  const back = await sizesOf(database, part);

  const what = `a month of ${events.toLocaleString('en-US')} entries`;
  const mb = (size: number): string => `${size.toFixed(0)} MB`;
  const row = (name: string, found: Waits & { readonly seconds: number }, note: string): Figure => ({
    suite,
    what: `${what}, ${name}`,
    unit: 's',
    ours: found.seconds,
    note: `${note}${waitsText(alone, found)}`,
  });
  return [
    {
      ...row(
        'archived, proven and taken out',
        written,
        `${mb(before.rows)} of rows and ${mb(before.indexes)} of indexes become ${mb(file.bytes / megabyte)}, the database ${mb(before.database)} → ${mb(after.database)}; `,
      ),
      limit,
      peers: [],
    },
    row('verified', verified, ''),
    row('restored', restored, `the database ${mb(back.database)}; `),
    {
      suite,
      what: `${what}, its file beside rows that are only compressed`,
      unit: 'MB',
      ours: file.bytes / megabyte,
      limit: statSync(limitFile).size / megabyte,
      note: 'it has the chain as well',
    },
  ];
};

export const archives: Suite = {
  name: suite,
  run: async (bench) => {
    const folder = mkdtempSync(join(tmpdir(), 'bench-archives-'));
    try {
      return await measure(bench, folder);
    } finally {
      await bench.clear();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
