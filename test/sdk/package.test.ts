/** The SDK as others get it: a small package that passes the linters of packages and that both module systems take. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { expect } from 'chai';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { manifestProblems } from '../../shared/environments/readManifest.ts';
import { installSdk, sdkPackage } from '../support/sdkPackage.ts';

const execute = promisify(execFile);

/** Bytes of the tarball: an app should not get larger by its console than by its web server. */
const tarballMax = 150_000;

const input = `{ type: 'object', required: ['name'], properties: { name: { type: 'string' } } } as const`;
const body = `
const input = ${input};
const app = defineApp({ actions: { greet: { input, run: ({ input }) => { const name: string = input.name; if (name === '') throw new ActionFailed('Who?'); return name; } } } });
// @ts-expect-error: a name is no number
defineApp({ actions: { greet: { input, run: ({ input }) => { const name: number = input.name; return String(name); } } } });
const failed: ActionFailed = new ActionFailed('No.', { retryable: true });
const item: Item | null = null;
console.log(Object.keys(app.manifest).length, typeof connect, typeof fileStore, failed.retryable, item);
`;
const tested = `
const test = testApp(defineApp({ actions: { pay: {
  input: { type: 'object', required: ['sum'], properties: { sum: { type: 'number', minimum: 1 }, code: { type: 'string', pattern: '^[A-Z]+$' } } },
  run: ({ input }) => { if (input.sum > 9) throw new ActionFailed('Too much.'); return input.sum === 9 ? (42 as never) : 'Paid.'; } } } }));
const outcomes = [];
for (const input of [{ sum: 1 }, { sum: 10 }, { sum: 0 }, { sum: 1, code: 'a' }]) outcomes.push((await test.run('pay', { input })).status);
outcomes.push(await test.run('pay', { input: { sum: 9 } }).then(() => 'taken', (error: Error) => error.message.split(':')[0]));
console.log(outcomes.join());
`;
const names = 'ActionFailed, connect, defineApp, fileStore, type Item';

const sources = {
  'esm.mts': `import { ${names} } from '@console-api/sdk';${body}`,
  'commonjs.cts': `import { ${names} } from '@console-api/sdk';${body}`,
  'testing.mts': `
    import { ActionFailed, defineApp } from '@console-api/sdk';
    import { testApp } from '@console-api/sdk/testing';${tested}`,
  'both.mts': `
    import { createRequire } from 'node:module';
    import { ActionFailed } from '@console-api/sdk';
    const required: typeof import('@console-api/sdk') = createRequire(import.meta.url)('@console-api/sdk');
    console.log(required.ActionFailed === ActionFailed);`,
};

describe('sdk: the package', () => {
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'console-consumer-'));
    writeFileSync(join(folder, 'package.json'), '{ "name": "consumer", "private": true }');
    await installSdk(folder);
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('is small, and depends on ws alone', async () => {
    const { tarball, folder: built } = await sdkPackage();
    expect(statSync(tarball).size).to.be.below(tarballMax);
    const { name, dependencies } = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8')) as {
      name: string;
      dependencies: object;
    };
    expect([name, Object.keys(dependencies)]).to.deep.equal(['@console-api/sdk', ['ws']]);
  });

  it('has nothing that publint or attw object to', async () => {
    const { tarball, folder: built } = await sdkPackage();
    const { messages, pkg } = await publint({ pkgDir: built, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).to.deep.equal([]);
    const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarball))));
    expect(analysis.types).not.to.equal(false);
    expect('problems' in analysis && analysis.problems).to.deep.equal([]);
  });

  it('checks manifests as the service does, by less code', () => {
    const { manifestProblems: packed } = createRequire(join(folder, 'x.js'))(
      './node_modules/@console-api/sdk/validators.cjs',
    ) as { manifestProblems: typeof manifestProblems };
    const demo = JSON.parse(
      readFileSync(new URL('../../shared/tools/demo/manifest.json', import.meta.url), 'utf8'),
    ) as {
      inboxes: object[];
      actions: object[];
    };
    const [inbox, action] = [demo.inboxes[0], demo.actions[0]];
    const pattern = (text: string): object => ({
      actions: [{ name: 'a', input: { type: 'object', properties: { b: { type: 'string', pattern: text } } } }],
    });
    const manifests: unknown[] = [
      demo,
      {},
      [],
      { colour: 1 },
      { inboxes: [inbox, inbox], actions: [action, { ...action, resource: 'nothing', danger: 'some', timeout: 0 }] },
      {
        inboxes: [
          { name: '1', states: [] },
          { name: 'a', initial: 'b', transitions: { c: 'd' }, reply: { via: 'fax' } },
        ],
      },
      { views: [{ name: 'a', state: 'b', sort: 'c' }], flags: [{ key: 'a', kind: 'boolean', default: 'b' }] },
      { pages: [{ name: 'a', blocks: [{ type: 'b' }, { type: 'items', source: 'items', query: { limit: 'c' } }] }] },
      {
        actions: [
          { name: 'a', when: { field: 'b', op: 'c' } },
          { name: 'd', when: { if: {}, otherwise: '' } },
        ],
      },
      {
        actions: [
          { name: 'a', input: { type: 'objekt' } },
          { name: 'b', input: { $ref: 'http://c' } },
        ],
      },
      ...['^a$', '(?=a)', '(?<!a)b', '(a)\\1', 'a{1001}', '[', '\\p{L}+', '[(?=]', 'a'.repeat(501)].map(pattern),
    ];
    const places = (check: typeof manifestProblems, manifest: unknown): string[] =>
      check(manifest).map(({ path }) => path);
    for (const manifest of manifests)
      expect(places(packed, manifest), JSON.stringify(manifest).slice(0, 200)).to.deep.equal(
        places(manifestProblems, manifest),
      );
  });

  it('type-checks and runs as an ES module and as CommonJS, with one copy of each class', async () => {
    for (const [name, text] of Object.entries(sources)) writeFileSync(join(folder, name), text);
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          target: 'es2023',
          module: 'nodenext',
          strict: true,
          types: ['node'],
          verbatimModuleSyntax: false,
        },
        include: Object.keys(sources),
      }),
    );
    await execute(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.'], { cwd: folder });
    const run = async (file: string): Promise<string> =>
      (await execute(process.execPath, [file], { cwd: folder })).stdout.trim();
    expect(await run('esm.mjs')).to.equal('6 function function true null');
    expect(await run('commonjs.cjs')).to.equal('6 function function true null');
    expect(await run('testing.mjs')).to.equal(
      'succeeded,failed,refused,refused,What the handler of pay returned is not valid',
    );
    expect(await run('both.mjs')).to.equal('true');
  });
});
