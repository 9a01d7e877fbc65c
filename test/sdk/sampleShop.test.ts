/** The sample app by itself: what it declares, and what it knows after a restart. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import demoManifest from '../../shared/tools/demo/manifest.json' with { type: 'json' };
import { demoRecords } from '../../shared/tools/demo/shop.ts';
import { sampleApp } from '../sample-app/app.ts';
import { openShop } from '../sample-app/shop.ts';

const manifestPath = new URL('../../shared/tools/demo/manifest.json', import.meta.url);
const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'console-sample-'));
  folders.push(folder);
  return folder;
};

/** As a person would lay it out: what fits into a line stays on it. */
const printed = (value: unknown, indent = ''): string => {
  const line = JSON.stringify(value, undefined, 1)
    .replace(/\n\s*/g, ' ')
    .replace(/\[ | \]/g, (bracket) => bracket.trim());
  if (typeof value !== 'object' || value === null || line.length + indent.length <= 150) return line;
  const inner = `${indent}  `;
  if (Array.isArray(value)) return `[\n${value.map((entry) => inner + printed(entry, inner)).join(',\n')}\n${indent}]`;
  return `{\n${Object.entries(value)
    .map(([key, entry]) => `${inner}${JSON.stringify(key)}: ${printed(entry, inner)}`)
    .join(',\n')}\n${indent}}`;
};

describe('the sample app by itself', () => {
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  it('declares what the demo is made of: UPDATE_DOCS=1 writes it into shared/tools/demo/manifest.json', async () => {
    const shop = await openShop(newFolder());
    const { manifest } = sampleApp(shop);
    await shop.close();
    if (process.env['UPDATE_DOCS'] === '1')
      writeFileSync(manifestPath, `${printed(JSON.parse(JSON.stringify(manifest)))}\n`);
    else
      expect(
        JSON.parse(JSON.stringify(manifest)),
        'run UPDATE_DOCS=1 npx mocha test/sdk/sampleShop.test.ts',
      ).to.deep.equal(demoManifest);
  });

  it('has every kind of action, block and source', () => {
    const actions = demoManifest.actions as {
      danger?: string | null;
      resource?: string;
      approval?: boolean;
      freshSignIn?: boolean;
      background?: boolean;
      offline?: string;
      defaults?: object;
      input?: object;
    }[];
    const kinds: [string, (action: (typeof actions)[number]) => boolean][] = [
      ['plain', (action) => !action.danger && !action.approval && !action.freshSignIn && !action.background],
      ['defaults', (action) => action.defaults !== undefined],
      ['low', (action) => action.danger === 'low'],
      ['high', (action) => action.danger === 'high'],
      ['background', (action) => action.background === true],
      ['approval', (action) => action.approval === true],
      ['fresh sign-in', (action) => action.freshSignIn === true],
      ['no record', (action) => action.resource === undefined],
      ['refused offline', (action) => action.offline === 'refuse'],
    ];
    for (const [kind, fits] of kinds) expect(actions.some(fits), kind).to.equal(true);
    const blocks = [...demoManifest.pages, ...demoManifest.inboxes, ...demoManifest.resources].flatMap(
      (holder) => holder.blocks as { type: string; source?: string }[],
    );
    expect([...new Set(blocks.map(({ type }) => type))]).to.include.members([
      'text',
      'fields',
      'stat',
      'table',
      'chart',
      'items',
      'record',
      'actions',
      'link',
    ]);
    expect([...new Set(blocks.map(({ source }) => source))]).to.include.members([
      'items',
      'records',
      'counts',
      'flags',
      'app',
    ]);
  });

  it('has the past of a demo that was loaded up to the same moment, and keeps it', async () => {
    const folder = newFolder();
    const now = 1_790_000_000_000;
    const first = await openShop(folder, { now });
    await first.close();
    const later = await openShop(folder, { now: now + 60_000 });
    const orders = demoRecords(1, now).stored.filter(({ resource }) => resource === 'order');
    expect(orders).to.not.have.length(0);
    expect(later.stored('all').get('order')).to.deep.equal(orders);
    await later.close();
  });

  it('knows after a restart what it had done, and answers instead of doing it again', async () => {
    const folder = newFolder();
    const call = { run: 'run_1', attempt: 1, action: 'send_digest', record: null };
    const first = await openShop(folder);
    expect(
      await first.act(call, () => ({
        message: 'Done.',
        changes: [{ resource: 'customer', id: 'cus_1001', fields: { credit: 5 } }],
      })),
    ).to.deep.equal({ message: 'Done.', blocks: [] });
    // A kill: nothing is closed, and half a line is left behind.
    writeFileSync(join(folder, 'log.jsonl'), `${readFileSync(join(folder, 'log.jsonl'), 'utf8')}{"kind":"eff`);
    const second = await openShop(folder);
    expect(second.find('customer', 'cus_1001')?.fields['credit']).to.equal(5);
    expect(await second.answers.keys?.()).to.deep.equal(['run_1']);
    expect((await second.answers.get('run_1'))?.answer.result).to.deep.equal({ message: 'Done.', blocks: [] });
    await second.act({ ...call, attempt: 2 }, () => {
      throw new Error('It acts again.');
    });
    await second.answers.delete('run_1');
    await Promise.all([first.close(), second.close()]);
    const third = await openShop(folder);
    expect(await third.answers.keys?.()).to.deep.equal([]);
    await third.close();
  });
});
