/** The map from the specification to its tests is complete: each row has a test that exists, each test has its row, and none goes missing unseen. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** How many rows each section of docs/specification.md has. */
const counts: Readonly<Record<string, number>> = {
  '1. What the service does': 12,
  Item: 13,
  'The detail form of an item (`GET /items/:id`) also carries': 5,
  'Other resource shapes': 7,
  'Other named things used in payloads': 3,
  '3. States and transitions': 9,
  '4. Endpoints': 2,
  'GET /items': 26,
  'GET /items/:id': 1,
  'Changing one item': 9,
  'POST /bulk': 8,
  Records: 7,
  'POST /actions': 10,
  'POST /available': 2,
  Pages: 3,
  Flags: 17,
  Approvals: 3,
  'Live updates': 1,
  'Gaps in the endpoint shapes': 11,
  '5. Authentication': 10,
  '6. Events': 10,
  '7. Errors': 6,
  '8. Limits': 4,
  '9. Versioning': 2,
};

interface Row {
  readonly section: string;
  readonly sentence: string;
  readonly file: string;
  readonly title: string;
  readonly line: string;
}

/** Splits where a table does: at bars that stand outside of code. */
const cellsOf = (line: string): string[] =>
  (line.match(/(?:`[^`]*`|[^|`])+/g) ?? []).map((cell) => cell.trim()).filter((cell) => cell !== '');

const readMap = (): Row[] => {
  let section = '';
  const rows: Row[] = [];
  for (const line of read('docs/specification.md').split('\n')) {
    section = /^##+ (.+)$/.exec(line)?.[1] ?? section;
    if (!line.startsWith('|') || /^\| (?:-|Sentence or row) \|/.test(line)) continue;
    const [sentence = ''] = cellsOf(line);
    const [, file = '', title = ''] = /`(test\/[\w./-]+\.test\.ts)` › (.+) \|$/.exec(line) ?? [];
    rows.push({ section, sentence, file, title, line });
  }
  return rows;
};

const titlesOf = (file: string): string[] =>
  [...read(file).matchAll(/\bit\('([^'\n]+)'/g)].map(([, title = '']) => title);
const repeated = (names: readonly string[]): string[] => names.filter((name, at) => names.indexOf(name) !== at);
const own = readdirSync(new URL('../specification', import.meta.url))
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/specification/${name}`);
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');

describe('law: specification', () => {
  const rows = readMap();

  it('no section of the map has more or fewer rows than are written here', () => {
    const found: Record<string, number> = {};
    for (const { section } of rows) found[section] = (found[section] ?? 0) + 1;
    expect(found, 'a row went missing, or a new one needs its number here').to.deep.equal(counts);
  });

  it('no row is without a test, and each test that a row names exists once in its file', () => {
    const existing = new Map(
      [...new Set(rows.map(({ file }) => file))].filter((file) => file !== '').map((file) => [file, titlesOf(file)]),
    );
    const missing = rows
      .filter(({ file, title }) => existing.get(file)?.filter((one) => one === title).length !== 1)
      .map(({ line }) => line);
    expect(missing, 'name it as `test/<file>.test.ts` › <title>').to.deep.equal([]);
  });

  it('no sentence stands twice in a section, and no title twice among the tests of the specification', () => {
    expect(repeated(rows.map(({ section, sentence }) => `${section}: ${sentence}`))).to.deep.equal([]);
    expect(repeated(own.flatMap(titlesOf))).to.deep.equal([]);
  });

  it('each test of the specification has its row', () => {
    const named = new Set(rows.map(({ file, title }) => `${file} › ${title}`));
    const loose = own
      .flatMap((file) => titlesOf(file).map((title) => `${file} › ${title}`))
      .filter((test) => !named.has(test));
    expect(loose, 'say in docs/specification.md which sentence it shows').to.deep.equal([]);
    for (const file of own)
      expect(titlesOf(file).length, `${file}: write titles in single quotes on one line`).to.equal(
        [...read(file).matchAll(/^\s*it\(/gm)].length,
      );
  });

  it('no test of the specification is skipped or alone', () => {
    for (const file of own) expect(read(file), file).not.to.match(/\b(?:it|describe)\.(?:skip|only)\b|\bthis\.skip\(/);
  });

  it('what is not shown says which chapter of the documents decides it', () => {
    const silent = rows
      .filter(({ sentence }) => sentence.includes('not shown'))
      .filter(({ line }) => !line.includes('decided in the API contract: see ['));
    expect(silent.map(({ line }) => line)).to.deep.equal([]);
    for (const { line } of rows) {
      const [, file, anchor] = /\]\(([\w-]+\.md)#([\w-]+)\)/.exec(line) ?? [];
      if (file !== undefined)
        expect(
          [...read(`docs/${file}`).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)),
          line,
        ).to.include(anchor);
    }
  });
});
