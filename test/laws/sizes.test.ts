/** Files stay small enough to be one idea, and say in their first line what they are for. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../../', import.meta.url));
const sources = ['api', 'workers', 'shared', 'migrations'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(tsx?|mjs|css)$/.test(file))
    .map((file) => join(folder, file)),
);

/** Word lists of the demo and one table of declarations are long without being complicated. */
const longAllowed = /^shared\/tools\/demo\//;
const linesMax = 300;

describe('law: sizes', () => {
  it('no source file is longer than can be held in the head', () => {
    const long = sources.filter(
      (file) => !longAllowed.test(file) && readFileSync(join(root, file), 'utf8').split('\n').length > linesMax,
    );
    expect(long, `split what is longer than ${String(linesMax)} lines`).to.deep.equal([]);
  });

  it('every source file opens with a sentence that says what it is for', () => {
    const silent = sources.filter(
      (file) => !/^(?:#!.*\n)?(?:\/\/ @ts-check\n)?(?:\/\*|\/\/)/.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(silent, 'begin the file with a comment that says what it is for and who calls it').to.deep.equal([]);
  });

  it('nothing is left to be done later in words', () => {
    const left = sources.filter((file) => /\b(?:TODO|FIXME|XXX|HACK)\b/.test(readFileSync(join(root, file), 'utf8')));
    expect(left).to.deep.equal([]);
  });
});
