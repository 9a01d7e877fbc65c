/** The log’s lines where standard error takes none, or ends with the process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { root } from '../../../shared/tools/services/paths.mjs';

const urlOf = (path: string): string => JSON.stringify(pathToFileURL(join(root, path)).href);

/** Logs `count` lines of 100 characters, says how many were dropped, and ends. */
const source = (count: number): string => `
  const { createLog } = await import(${urlOf('shared/platform/log/log.ts')});
  const { readConfig } = await import(${urlOf('shared/platform/config/config.ts')});
  const { platformRegistry } = await import(${urlOf('shared/platform/log/metrics.ts')});
  const log = createLog(readConfig({ DATABASE_URL: 'postgres://a@127.0.0.1/a', REDIS_URL: 'redis://127.0.0.1' }), 'test');
  for (let n = 0; n < ${String(count)}; n += 1) {
    log.info({ n, text: 'x'.repeat(100) }, 'a line');
    if (n % 1_000 === 0) await new Promise(setImmediate);
  }
  const [{ value }] = (await platformRegistry.getSingleMetric('console_log_lines_dropped_total').get()).values;
  process.stdout.write(String(value), () => process.exit(0));
`;

describe('lines of the log', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'console-log-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const run = async (path: string, count: number): Promise<{ code: unknown; dropped: number }> => {
    const file = await open(path, 'w');
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', source(count)], {
      cwd: root,
      stdio: ['ignore', 'pipe', file.fd],
    });
    let said = '';
    child.stdout?.on('data', (text: Buffer) => (said += text.toString()));
    const [code] = await once(child, 'close');
    await file.close();
    return { code, dropped: Number(said) };
  };

  it('hold up nothing on a disk that is full: they are dropped and counted, and the process ends', async () => {
    const { code, dropped } = await run('/dev/full', 50_000);
    expect(code).to.equal(0);
    expect(dropped).to.be.within(1_000, 50_000);
  });

  it('are all written, in their order, by a process that ends at once', async () => {
    const path = join(folder, 'log.jsonl');
    const { code, dropped } = await run(path, 5_000);
    expect([code, dropped]).to.deep.equal([0, 0]);
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    const numbers = lines.map((line) => (JSON.parse(line) as { n: number }).n);
    expect(numbers).to.deep.equal(Array.from({ length: 5_000 }, (_, n) => n));
  });
});
