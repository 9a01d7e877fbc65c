/** Each command of package.json prints its usage and refuses options that it doesn't have, without starting anything. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { program } from '../../shared/tools/services/compile.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
/** Programs of others, with help of their own. */
const foreign = ['lint', 'typecheck', 'format'];
/** Names of scripts that npm runs before those of the same name. */
const isHook = (name: string): boolean => /^pre(?=api|build|doctor|format|lint|migrate|typecheck|workers)/.test(name);

/** The arguments for node; what a build would run is run from its source. */
const argumentsOf = async (script: string): Promise<string[]> => {
  const words = script.split(' ').slice(1);
  const built = words.find((word) => word.startsWith('dist/'));
  return built === undefined ? words : (await program(built.slice(5).replace(/\.js$/, '.ts'))).slice(1);
};

describe('the commands', () => {
  let folder: string;
  before(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'console-commands-')), 'data');
  });
  after(() => {
    rmSync(join(folder, '..'), { recursive: true });
  });

  /** Runs a script as npm does, but with nothing configured: what it would start would leave its folder. */
  const run = async (script: string, option: string): Promise<{ code: unknown; out: string; err: string }> => {
    const { DATABASE_URL: _database, MIGRATE_DATABASE_URL: _owner, REDIS_URL: _redis, ...env } = process.env;
    const child = spawn(process.execPath, [...(await argumentsOf(script)), option], {
      cwd: root,
      env: { ...env, DATA_DIR: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (piece: string) => void (said.out += piece));
    child.stderr.setEncoding('utf8').on('data', (piece: string) => void (said.err += piece));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, ...said };
  };

  for (const [name, script] of Object.entries(scripts).filter(([each]) => !foreign.includes(each) && !isHook(each))) {
    it(`${name} --help prints its usage`, async () => {
      const { code, out, err } = await run(script, '--help');
      expect({ code, err }).to.deep.equal({ code: 0, err: '' });
      expect(out).to.match(new RegExp(`^Usage: npm (run )?${name}\\b`));
      expect(existsSync(folder), 'nothing was started').to.equal(false);
    });

    it(`${name} --nonsense is told apart`, async () => {
      const { code, out, err } = await run(script, '--nonsense');
      expect({ code, out }).to.deep.equal({ code: 2, out: '' });
      expect(err).to.include('--nonsense');
      expect(err).not.to.match(/^ +at /m);
      expect(existsSync(folder), 'nothing was started').to.equal(false);
    });
  }
});
