/** The SDK as others get it: `console-api/sdk` of the package, with types that their compiler takes. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../../', import.meta.url));
const tsc = join(root, 'node_modules/typescript/bin/tsc');

const app = `
import { ActionFailed, connect, defineApp, fileStore } from 'console-api/sdk';
const input = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } as const;
const app = defineApp({ actions: { greet: { input, run: ({ input }) => { const name: string = input.name; if (name === '') throw new ActionFailed('Who?'); return name; } } } });
// @ts-expect-error: a name is no number
defineApp({ actions: { greet: { input, run: ({ input }) => { const name: number = input.name; return String(name); } } } });
console.log(Object.keys(app.manifest).length, typeof connect, typeof fileStore);
`;

describe('sdk: the package', function () {
  // The compiler runs three times.
  this.timeout(120_000);
  let folder: string;
  const run = (...args: string[]): string => execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'console-consumer-'));
    const own = join(folder, 'node_modules/console-api');
    mkdirSync(own, { recursive: true });
    copyFileSync(join(root, 'package.json'), join(own, 'package.json'));
    for (const name of ['ws', 'typebox', '@types', 'undici-types'])
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    const built = ['-p', join(root, 'tsconfig.sdk.json'), '--outDir', join(own, 'dist')];
    execFileSync(process.execPath, [tsc, ...built]);
    execFileSync(process.execPath, [tsc, ...built, '--declaration', 'false', '--emitDeclarationOnly', 'false']);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'app.ts'), app);
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: { target: 'es2023', module: 'nodenext', strict: true, skipLibCheck: true, types: ['node'] },
        include: ['app.ts'],
      }),
    );
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('is imported by its name, with types, and runs', () => {
    run(tsc, '-p', '.');
    expect(run('app.js').trim()).to.equal('6 function function');
  });
});
