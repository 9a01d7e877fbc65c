/** The end of the npm that runs a command ends the command too, with all that it has started. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/until.ts';

/** Returns what the system says of a process, or nothing if it has none. */
const statusOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
};

/** Returns whether a process runs: one that has ended is there until somebody asks how. */
const runs = (pid: string): boolean => /^State:\t[^ZX]/m.test(statusOf(pid));

const module = (name: string): string =>
  JSON.stringify(new URL(`../../shared/tools/services/${name}.mjs`, import.meta.url).href);

describe('a command that npm runs', () => {
  let folder: string;
  let pids: string[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'console-stopping-'));
    pids = [];
  });
  afterEach(() => {
    for (const pid of pids.filter(runs)) process.kill(Number(pid), 'SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const file = (name: string): string => join(folder, name);

  for (const signal of ['SIGTERM', 'SIGKILL'] as const)
    it(`stops what it has started when ${signal} ends the shell in which npm runs it`, async () => {
      writeFileSync(
        file('command.mjs'),
        `
        import { writeFileSync } from 'node:fs';
        import { start } from ${module('processes')};
        import { onStop, stopOnSignals } from ${module('stopping')};
        stopOnSignals(() => 0);
        const child = await start({ name: 'child', command: [process.execPath, '-e', 'setInterval(() => {}, 1000)'] });
        await onStop(() => child.stop());
        await onStop(() => writeFileSync(${JSON.stringify(file('stopped'))}, ''));
        writeFileSync(${JSON.stringify(file('pids'))}, process.pid + ' ' + child.pid);`,
      );
      // The second command keeps the shell from becoming the first.
      const output = openSync(file('output'), 'w');
      const shell = spawn('sh', ['-c', `"${process.execPath}" "${file('command.mjs')}"; true`], {
        env: { ...process.env, npm_lifecycle_event: 'start' },
        stdio: ['ignore', output, output],
      });
      closeSync(output);
      const ended = once(shell, 'exit');
      pids = (
        await until('the command runs', () => existsSync(file('pids')) && readFileSync(file('pids'), 'utf8'))
      ).split(' ');
      shell.kill(signal);
      await ended;
      const left = (): string =>
        `all have ended, after stops ${existsSync(file('stopped')) ? 'that were made' : 'that were not made'}; ${pids.join(' and ')} said "${readFileSync(file('output'), 'utf8')}", and there is ${pids.filter(runs).map(statusOf).join('\n')}`;
      await until(left, () => existsSync(file('stopped')) && !pids.some(runs));
    });

  for (const name of ['api', 'workers'] as const)
    it(`gets the SIGTERM that ends the npm of npm run ${name}`, async () => {
      const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
        readonly scripts: Readonly<Record<string, string>>;
      };
      const script = String(scripts[name]).replace(`dist/${name}/main.js`, 'command.mjs');
      writeFileSync(file('package.json'), JSON.stringify({ scripts: { [name]: script } }));
      writeFileSync(
        file('command.mjs'),
        `
        import { writeFileSync } from 'node:fs';
        process.on('SIGTERM', () => { writeFileSync('stopped', ''); process.exit(0); });
        setInterval(() => {}, 1000);
        writeFileSync('pids', String(process.pid));`,
      );
      const npm = spawn('npm', ['run', name], { cwd: folder, stdio: 'ignore' });
      const ended = once(npm, 'exit');
      pids = [await until('the command runs', () => existsSync(file('pids')) && readFileSync(file('pids'), 'utf8'))];
      npm.kill('SIGTERM');
      await ended;
      await until('the command has ended by the signal', () => existsSync(file('stopped')) && !pids.some(runs));
    });
});
