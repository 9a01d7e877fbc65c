/**
 * Clients generated from `/openapi.json` by openapi-typescript with openapi-fetch, and by oazapfts: a small program of each
 * type-checks and does its work. The packages are installed into a folder of their own, as the generator needs another TypeScript than this project.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { request } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

const execute = promisify(execFile);
const packages = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'oazapfts@7.5.0', 'typescript@5.9.3'];

const program = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';

declare const process: { readonly env: Record<string, string> };
const client = createClient<paths>({
  baseUrl: process.env['BASE'] ?? '',
  headers: { authorization: 'Bearer ' + process.env['TOKEN'] },
});
type Item = components['schemas']['Item'];

const listed = await client.GET('/items', { params: { query: { inbox: 'mail', state: ['open'], limit: 10 } } });
const items: readonly Item[] = listed.data?.items ?? [];
const [item] = items;
if (item === undefined) throw new Error('No item.');
const title: string = item.title;
const changed = await client.POST('/items/{id}/state', {
  params: { path: { id: item.id }, header: { 'if-match': \`"\${item.version}"\` } },
  body: { state: 'closed', reason: 'Answered by phone.' },
});
const state = changed.data !== undefined && 'item' in changed.data ? changed.data.item.state : null;
const { data: read } = await client.GET('/flags/{flag}', { params: { path: { flag: 'beta' } } });
const value: unknown = read?.flag.value;
const made = await client.POST('/items', { body: { inbox: 'mail', title: 'Made', data: { plan: 'Team', seats: 3 } } });
const id = made.data !== undefined && 'item' in made.data ? made.data.item.id : '';
await client.POST('/items/{id}/notes', { params: { path: { id } }, body: { text: 'A note.' } });
const detail = await client.GET('/items/{id}', { params: { path: { id } } });
const said = (detail.data?.timeline ?? []).map((entry) => (entry.type === 'note' ? entry.data.text : entry.type));
const plan: unknown = detail.data?.item.fields['plan'];
const missing = await client.GET('/items/{id}', { params: { path: { id: 'itm_nosuch' } } });
const code: string | undefined = missing.error?.code;
console.log(JSON.stringify({ title, state, version: read?.flag.version, value, status: missing.response.status, code, said, plan }));

// @ts-expect-error: there is no such path
void (() => client.GET('/nosuch'));
// @ts-expect-error: a state has to be named
void (() => client.POST('/items/{id}/state', { params: { path: { id: '' } }, body: {} }));
// @ts-expect-error: a title is no number
void ((one: Item): number => one.title);
// @ts-expect-error: only a note's entry has a text
void ((one: components['schemas']['Entry']): unknown => one.data.text);
`;

const otherProgram = `
import { createItem, defaults, getItem, type Entry } from './other.js';

declare const process: { readonly env: Record<string, string> };
defaults.baseUrl = process.env['BASE'] ?? '';
defaults.headers = { authorization: 'Bearer ' + process.env['TOKEN'] };

const made = await createItem({ inbox: 'mail', title: 'Made', data: { plan: 'Team' } });
const id = 'item' in made.data ? made.data.item.id : '';
const read = await getItem(id);
const entries: readonly Entry[] = 'timeline' in read.data ? read.data.timeline : [];
const said = entries.map((entry) => (entry.type === 'note' ? entry.data.text : entry.type));
console.log(JSON.stringify({ said, plan: 'item' in read.data ? read.data.item.fields['plan'] : null }));
`;

const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  module: 'nodenext',
  target: 'es2022',
  lib: ['es2022', 'dom'],
  types: [],
  outDir: 'out',
};

/** The code that oazapfts makes reads members that may be absent. */
const otherOptions = { ...compilerOptions, exactOptionalPropertyTypes: false };

describe('a client generated from the OpenAPI document', () => {
  let world: World;
  let folder: string;
  const inFolder = (...words: string[]) =>
    execute(words[0] ?? '', words.slice(1), {
      cwd: folder,
      env: { ...process.env, BASE: world.base, TOKEN: token },
    }).catch((error: unknown) => {
      const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
      throw new Error(`${words.join(' ')}: ${stdout}${stderr}`);
    });
  let token = '';

  before(async () => {
    world = await newWorld({
      workers: false,
      manifest: {
        inboxes: [{ name: 'mail', fields: { type: 'object' } }],
        flags: [{ key: 'beta', kind: 'boolean', default: false }],
      },
    });
    folder = mkdtempSync(join(tmpdir(), 'console-client-'));
    writeFileSync(join(folder, 'package.json'), '{ "name": "client", "private": true, "type": "module" }');
    await inFolder('npm', 'install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', ...packages);
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await world.close();
  });

  it('has types that a program fits, and lists, changes and reads as they say', async () => {
    const agent = await world.agent('admin');
    ({ token } = agent);
    const { body } = await agent.post('/items', { inbox: 'mail', title: 'A letter' });
    const { text } = await request('GET', `${new URL(world.base).origin}/openapi.json`, undefined, null);
    writeFileSync(join(folder, 'openapi.json'), text);
    writeFileSync(join(folder, 'program.ts'), program);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
    await inFolder('npx', '--no-install', 'openapi-typescript', 'openapi.json', '--output', 'api.d.ts');
    const types = readFileSync(join(folder, 'api.d.ts'), 'utf8');
    expect(types).to.include('list_items: {');
    const without = types
      .match(/^.*Record<string, never>.*$/gm)
      ?.filter((line) => !/^export type (webhooks|\$defs) /.test(line));
    expect(without, 'types of objects that may have no member').to.deep.equal([]);
    await inFolder('npx', '--no-install', 'tsc');
    const { stdout } = await inFolder(process.execPath, 'out/program.js');
    expect(JSON.parse(stdout)).to.deep.equal({
      title: 'A letter',
      state: 'closed',
      version: 1,
      value: false,
      status: 404,
      code: 'not_found',
      said: ['A note.', 'created'],
      plan: 'Team',
    });
    expect((await agent.get(`/items/${String(body.item.id)}`)).body.item.state).to.equal('closed');
  });

  it('has them by another generator too', async () => {
    ({ token } = await world.agent('admin'));
    const { text } = await request('GET', `${new URL(world.base).origin}/openapi.json`, undefined, null);
    writeFileSync(join(folder, 'openapi.json'), text);
    writeFileSync(join(folder, 'otherProgram.ts'), otherProgram);
    const compiler = { compilerOptions: otherOptions, files: ['otherProgram.ts'] };
    writeFileSync(join(folder, 'tsconfig.other.json'), JSON.stringify(compiler));
    await inFolder('npx', '--no-install', 'oazapfts', 'openapi.json', 'other.ts');
    await inFolder('npx', '--no-install', 'tsc', '-p', 'tsconfig.other.json');
    const { stdout } = await inFolder(process.execPath, 'out/otherProgram.js');
    expect(JSON.parse(stdout)).to.deep.equal({ said: ['created'], plan: 'Team' });
  });
});
