/** Files stay small enough to be one idea, and say in their first line what they are for. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { imports } from './source.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const sources = ['api', 'workers', 'shared', 'migrations'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(tsx?|mjs|css)$/.test(file))
    .map((file) => join(folder, file)),
);

/** Word lists of the demo and one table of declarations are long without being complicated. */
const longAllowed = /^shared\/tools\/demo\//;
const linesMax = 400;
/** A longer file of tests is of several behaviours, and its tests wait for each other. */
const testLinesMax = 450;
const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.test.ts'),
);

/** The largest size that the product may have. Each number falls, or rises with the reason in the commit. */
const ceilings = { files: 963, lines: 119_400, 'small files that one file imports': 30, 'files of middleware': 9 };
const smallLines = 60;

const linesOf = (file: string): number => readFileSync(join(root, file), 'utf8').trimEnd().split('\n').length;

describe('law: sizes', () => {
  it('the product does not grow without a reason', () => {
    const product = sources.filter((file) => !file.startsWith('migrations/'));
    const importers = new Map<string, Set<string>>();
    for (const { file, to } of imports)
      if (!file.startsWith('test/')) importers.set(to, (importers.get(to) ?? new Set()).add(file));
    const figures: Record<keyof typeof ceilings, number> = {
      files: product.length,
      lines: product.reduce((sum, file) => sum + linesOf(file), 0),
      'small files that one file imports': product.filter(
        (file) => importers.get(file)?.size === 1 && linesOf(file) < smallLines,
      ).length,
      'files of middleware': product.filter((file) => file.startsWith('api/middleware/')).length,
    };
    const above = Object.entries(ceilings).filter(([what, most]) => figures[what as keyof typeof ceilings] > most);
    expect(above, JSON.stringify(figures)).to.deep.equal([]);
  });

  it('no source file is longer than can be held in the head', () => {
    const long = sources.filter(
      (file) => !longAllowed.test(file) && readFileSync(join(root, file), 'utf8').split('\n').length > linesMax,
    );
    expect(long, `split what is longer than ${String(linesMax)} lines`).to.deep.equal([]);
  });

  it('no file of tests is longer than the tests of one behaviour are', () => {
    const long = tests.filter(
      (file) =>
        readFileSync(join(root, 'test', file), 'utf8')
          .trimEnd()
          .split('\n').length > testLinesMax,
    );
    expect(long, `split by behaviour what is longer than ${String(testLinesMax)} lines`).to.deep.equal([]);
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
