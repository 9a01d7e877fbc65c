/** Nothing is exported, kept or depended on that nobody uses. A failing line contains what to do. */
import { expect } from 'chai';
import { files, imports, textOf } from './source.ts';

/** What package.json names, and what others run or import by path. */
const entries = [
  'api/main.ts',
  'api/console/first.ts',
  'api/console/main.tsx',
  'workers/main.ts',
  'migrations/run.ts',
  'shared/sdk/index.ts',
  'shared/sdk/command/main.ts',
  'shared/sdk/testing/index.ts',
  'shared/sdk/testing/nativePatterns.ts',
  'shared/sdk/testing/schemaLiterals.ts',
  'shared/sdk/testing/validators.ts',
  'shared/tools/cli/admin.ts',
  'shared/tools/cli/watch.ts',
  'shared/tools/doctor/main.ts',
  'shared/tools/demo/load.ts',
  'shared/tools/demo/open.ts',
];

/** Imported once the packages are installed. */
const runDependencies = new Set(['esbuild']);
const tools = new Set([
  'tsx',
  '@redocly/cli',
  'oxlint',
  'oxlint-tsgolint',
  'oxfmt',
  'typescript',
  'mocha',
  // Its script is served (api/referencePage.ts), and copied by the build.
  'redoc',
]);

const product = files.filter((file) => !file.startsWith('test/') && !file.startsWith('migrations/0'));

const exportedBy = (file: string): string[] =>
  [
    ...textOf(file).matchAll(
      /^export (?:declare )?(?:abstract )?(?:async )?(?:const|function|class|interface|type|let)\*? (\w+)/gm,
    ),
  ].map(([, name = '']) => name);

const importedNames = (file: string): Set<string> =>
  new Set(imports.filter(({ to }) => to === file).flatMap(({ names }) => names));

describe('law: nothing unused', () => {
  it('every export is imported by another file', () => {
    const unused = product
      .filter((file) => !entries.includes(file))
      .flatMap((file) => {
        const imported = importedNames(file);
        return imported.has('*')
          ? []
          : exportedBy(file)
              .filter((name) => !imported.has(name))
              .map((name) => `${file} exports ${name}`);
      });
    expect(unused, 'take the word export away, or delete what nobody uses at home either').to.deep.equal([]);
  });

  it('every file is imported, or is an entry that is run by its path', () => {
    const imported = new Set(imports.map(({ to }) => to));
    expect(
      product.filter((file) => !imported.has(file) && !entries.includes(file)),
      'delete the file, or list it among the entries',
    ).to.deep.equal([]);
    expect(
      entries.filter((file) => !files.includes(file)),
      'take the entry off the list',
    ).to.deep.equal([]);
  });

  it('every dependency is imported by the product, every development dependency by a test or run as a tool', () => {
    const { dependencies, devDependencies } = JSON.parse(textOf('package.json')) as Record<
      'dependencies' | 'devDependencies',
      Record<string, string>
    >;
    const packageOf = (to: string): string =>
      to
        .split('/')
        .slice(0, to.startsWith('@') ? 2 : 1)
        .join('/');
    const importedBy = (isSource: (file: string) => boolean): Set<string> =>
      new Set(imports.filter(({ file }) => isSource(file)).map(({ to }) => packageOf(to)));
    const byProduct = importedBy((file) => !file.startsWith('test/'));
    const byTests = importedBy((file) => file.startsWith('test/'));
    expect(
      Object.keys(dependencies).filter((name) => !byProduct.has(name) && !runDependencies.has(name)),
      'uninstall it',
    ).to.deep.equal([]);
    expect(
      Object.keys(devDependencies).filter(
        (name) => !byTests.has(name) && !tools.has(name) && !name.startsWith('@types/'),
      ),
      'uninstall it',
    ).to.deep.equal([]);
  });
});
