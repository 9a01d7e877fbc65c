/** The SDK as others get it: a small package that passes the linters of packages and that both module systems take. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { expect } from 'chai';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { manifestProblems } from '../../shared/app/manifest/readManifest.ts';
import { installSdk, sdkPackage } from '../support/sdkPackage.ts';
import { newWorld } from '../support/world.ts';

const execute = promisify(execFile);

/** Bytes of the tarball with its documents: an app should not get larger by its console than by its web server. */
const tarballMax = 190_000;

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

  it('has its documents inside, whose links lead to files of the package', () => {
    const installed = join(folder, 'node_modules/@console-api/sdk');
    const documents = ['README.md', ...readdirSync(join(installed, 'docs')).map((name) => `docs/${name}`)];
    expect(documents).to.include.members(['docs/customers-app.md', 'docs/manifest.md', 'docs/protocol.md']);
    const links = documents.flatMap((name) =>
      [...readFileSync(join(installed, name), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) =>
        join(dirname(name), target),
      ),
    );
    expect(links).to.include.members(documents.slice(1));
    expect(links.filter((path) => !existsSync(join(installed, path)))).to.deep.equal([]);
  });

  it('has one command, by the same name in its documents, its texts and the apps that it writes', () => {
    const installed = join(folder, 'node_modules/@console-api/sdk');
    const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')).join('\n');
    expect(existsSync(join(folder, 'node_modules/.bin/console-sdk'))).to.equal(true);
    expect(new Set(texts.match(/(?<=\bnpx )[@\w/-]*sdk/g))).to.deep.equal(new Set(['console-sdk']));
  });

  it('is served at /sdk.tgz, to all who ask, and again only when it has changed', async () => {
    const { tarball } = await sdkPackage();
    const world = await newWorld({ workers: false });
    try {
      const ask = (headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
        fetch(new URL('/sdk.tgz', world.base), { method, headers });
      const served = await ask({ 'accept-encoding': 'gzip, br' });
      const bytes = Buffer.from(await served.arrayBuffer());
      expect(bytes.equals(readFileSync(tarball))).to.equal(true);
      const etag = served.headers.get('etag') ?? '';
      const expected = {
        'content-type': 'application/gzip',
        'content-length': String(bytes.length),
        'content-encoding': null,
        'cache-control': 'no-cache',
        etag,
      };
      for (const answer of [served, await ask({}, 'HEAD')])
        for (const [name, value] of Object.entries(expected)) expect(answer.headers.get(name), name).to.equal(value);
      const statuses = [etag, `W/${etag}`, `"other", ${etag}`, '*', '"other"'].map(
        async (tags) => (await ask({ 'if-none-match': tags })).status,
      );
      expect([etag !== '', ...(await Promise.all(statuses))]).to.deep.equal([true, 304, 304, 304, 304, 200]);
      const refused = await ask({}, 'POST');
      expect([refused.status, refused.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
    } finally {
      await world.close();
    }
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
