/** What comments and documents name is there: each file by its path or its end, and who a file says uses it does use it. */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { entriesOf, folders, root, textOf } from './source.ts';

const places = [
  ...entriesOf(''),
  ...[...folders, 'docs'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  ),
];
const sources = places.filter(
  (file) => folders.some((folder) => file.startsWith(`${folder}/`)) && /\.(tsx?|mjs)$/.test(file),
);

/** Returns whether the repository has the file or folder: by its path from the root or from `home`, or by the end of its path. */
const isThere = (name: string, home: string): boolean => {
  const path = name.replace(/\/$/, '');
  return (
    [path, join(home, path)].some((each) => places.includes(each)) || places.some((each) => each.endsWith(`/${path}`))
  );
};

const commentsOf = (text: string): string[] =>
  [...text.matchAll(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm)].map(([comment]) => comment.replace(/\n\s*\*\s?/g, ' '));

/** Returns the files that name a module in an import, `import()` or `new URL`, by that module. */
const importersOf = (): ReadonlyMap<string, readonly string[]> => {
  const importers = new Map<string, string[]>();
  for (const file of sources)
    for (const [, to = ''] of textOf(file).matchAll(/(?:from|import\(?|URL\()\s*'(\.[^']+)'/g)) {
      const target = join(dirname(file), to);
      importers.set(target, [...(importers.get(target) ?? []), file]);
    }
  return importers;
};

/** Names of files and folders; an endpoint such as `GET /items/:id` is none. */
const namesIn = (sentence: string): string[] =>
  [
    ...sentence
      .replace(/`[^`]*`/g, '')
      .matchAll(
        /(?<![\w/:-])[\w-]+(?:\/[\w-]+)*(?:\.test)?\.(?:tsx?|mjs)\b|\b(?:shared|api|workers|test)(?:\/[\w-]+)+(?![\w.])/g,
      ),
  ].map(([name]) => name);

describe('law: names', () => {
  it('every file that a comment names is there', () => {
    const gone = sources.flatMap((file) =>
      commentsOf(textOf(file)).flatMap((comment) =>
        [...comment.matchAll(/(?<![\w/.:>-])(?:\.\.\/)*[\w-]+(?:\/[\w-]+)*\.(?:tsx?|mjs|md)\b/g)].flatMap(([name]) =>
          isThere(name, dirname(file)) ? [] : `${file} names ${name}`,
        ),
      ),
    );
    expect(gone).to.deep.equal([]);
  });

  it('who the first lines of a file say uses it does import it', () => {
    const importers = importersOf();
    const said = sources.flatMap((file) => {
      const head = commentsOf(textOf(file))[0] ?? '';
      return [
        ...head.matchAll(
          /\b(?:used|called|read|loaded|opened|imported|run) by ((?:[^.]|\.(?=(?:test\.)?(?:tsx?|mjs)\b))*)\./gi,
        ),
      ].flatMap(([, users = '']) => namesIn(users).map((user) => ({ file, user })));
    });
    expect(said).to.have.length.above(300);
    const wrong = said.filter(
      ({ file, user }) =>
        !(importers.get(file) ?? []).some(
          (each) => `/${each}`.endsWith(`/${user}`) || `/${each}`.includes(`/${user}/`),
        ),
    );
    expect(wrong.map(({ file, user }) => `${file} is not imported by ${user}`)).to.deep.equal([]);
  });

  it('every file that a document names is there', () => {
    const documents = places.filter((file) => file.endsWith('.md') && !/CHANGELOG/.test(file));
    const gone = documents.flatMap((document) =>
      [
        ...textOf(document).matchAll(
          /`((?:api|workers|shared|migrations|test|docs)(?:\/[\w.-]+)+|[\w/-]+\.(?:tsx?|mjs))`/g,
        ),
      ].flatMap(([, name = '']) => (isThere(name, dirname(document)) ? [] : `${document} names ${name}`)),
    );
    const commands = [...textOf('CONTRIBUTING.md').matchAll(/\btest\/[\w/.-]+\.ts/g)].flatMap(([name]) =>
      isThere(name, '') ? [] : `CONTRIBUTING.md names ${name}`,
    );
    expect([...gone, ...commands]).to.deep.equal([]);
  });
});
