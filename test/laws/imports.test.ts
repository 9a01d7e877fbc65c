/** The import law: what each part of the tree may know of the others. A failing line contains what to do. */
import { expect } from 'chai';
import { imports as all, entriesOf, files, folders, layers, textOf, type Import } from './source.ts';

/** For each folder, which of its files and folders import which others of it, directly or from further down. */
const neighbours = (imports: readonly Import[]): Map<string, Map<string, Set<string>>> => {
  const byFolder = new Map<string, Map<string, Set<string>>>();
  for (const { file, to } of imports) {
    const from = file.split('/');
    const target = to.split('/');
    const depth = from.findIndex((part, i) => part !== target[i]);
    const [a, b] = [from[depth], target[depth]];
    if (depth < 0 || a === undefined || b === undefined || !folders.includes(target[0] ?? '')) continue;
    const folder = from.slice(0, depth).join('/');
    const inside = byFolder.get(folder) ?? new Map<string, Set<string>>();
    byFolder.set(folder, inside.set(a, (inside.get(a) ?? new Set()).add(b)));
  }
  return byFolder;
};

/** Circles as `folder: a → b → a`, at most one for each file or folder that a walk starts from. */
const circles = (imports: readonly Import[]): string[] =>
  [...neighbours(imports)].flatMap(([folder, edges]) => {
    const done = new Set<string>();
    const walk = (name: string, path: readonly string[]): string[] => {
      if (path.includes(name)) return [`${folder}: ${[...path.slice(path.indexOf(name)), name].join(' → ')}`];
      if (done.has(name)) return [];
      const found = [...(edges.get(name) ?? [])].flatMap((next) => walk(next, [...path, name]));
      done.add(name);
      return found;
    };
    return [...edges.keys()].flatMap((name) => walk(name, []));
  });
const offenders = (from: RegExp, forbidden: (found: Import) => boolean): string[] =>
  all.filter((found) => from.test(found.file) && forbidden(found)).map(({ file, to }) => `${file} imports ${to}`);

const isPackage =
  (...names: string[]) =>
  ({ to }: Import): boolean =>
    names.includes(to);
const under =
  (...paths: string[]) =>
  ({ to }: Import): boolean =>
    paths.some((path) => to.startsWith(path));

const conditions = 'shared/platform/conditions/conditions.ts';

describe('law: imports', () => {
  it('reads the tree', () => {
    expect(files.length).to.be.above(80);
    expect(all.length).to.be.above(300);
  });

  const layer = (path: string): number => layers.indexOf(path.split('/')[1] ?? '');
  const isShared = (path: string): boolean => path.startsWith('shared/');

  it('shared/ is the list of layers, and each imports only what stands above it', () => {
    const unlisted = entriesOf('shared').filter((entry) => entry !== 'README.md' && !layers.includes(entry));
    expect(unlisted, 'give the folder its place in the list of layers').to.deep.equal([]);
    const upward = all
      .filter(({ file, to }) => isShared(file) && isShared(to) && layer(to) > layer(file))
      .map(({ file, to }) => `${file} imports ${to}`);
    expect(
      upward,
      'move one of the two, declare the narrow type that is needed, or let shared/deps.ts pass the value in',
    ).to.deep.equal([]);
  });

  it('no files or folders import each other in a circle, types included', () => {
    expect(circles(all), 'move what both need into a file of its own above them').to.deep.equal([]);
  });

  const laws: readonly [string, RegExp, (found: Import) => boolean, string][] = [
    [
      'shared code knows neither HTTP nor sockets',
      /^shared\/(?!tools|sdk)/,
      (found) => isPackage('koa', '@koa/router', 'koa-body', 'ws')(found) || under('api/', 'workers/')(found),
      'move it to api or workers',
    ],
    [
      'the SDK runs in others’ programs: ws, the protocol, the evaluator and the nearest names are all it has',
      /^shared\/sdk\/(?!testing\/|command\/)/,
      ({ to, typeOnly }) =>
        !typeOnly &&
        !to.startsWith('shared/sdk/') &&
        !to.startsWith('node:') &&
        ![
          'ws',
          'shared/app/link/protocol.ts',
          'shared/flags/evaluate.ts',
          'shared/platform/words/nearestNames.ts',
          conditions,
        ].includes(to),
      'do without it, or import its types only',
    ],
    [
      'the SDK’s tests and command contain only what needs no server',
      /^shared\/sdk\/(testing|command)\//,
      ({ to, typeOnly }) =>
        !typeOnly &&
        !/^(node:|\.|ws$|shared\/(sdk|app\/(?:blocks|manifest|link\/protocol)|platform\/(?:caches|conditions|json|time|words|ids)|records\/recordProblems)\b)/.test(
          to,
        ),
      'do without it, or import its types only',
    ],
    [
      'the evaluator is pure',
      /^shared\/flags\/(evaluate|bucket)\.ts$/,
      ({ to }) => ![conditions, 'shared/flags/bucket.ts'].includes(to),
      'pass it in as a value',
    ],
    [
      'only platform/db knows knex and pg',
      /^(api|workers|shared)\/(?!platform\/db\/|tools\/services\/)/,
      isPackage('knex', 'pg', 'objection'),
      'add a statement and call it through platform/db/sql.ts',
    ],
    [
      'only platform/tracing/openTracer.ts knows OpenTelemetry, and is loaded only when it is wanted',
      /^(api|workers|shared)\//,
      ({ file, to, names, typeOnly }) =>
        (to.startsWith('@opentelemetry/') && file !== 'shared/platform/tracing/openTracer.ts' && !typeOnly) ||
        (to === 'shared/platform/tracing/openTracer.ts' && !names.includes('*')),
      'take the types of platform/tracing/span.ts',
    ],
    [
      'only platform/redis and workers/ know ioredis and bullmq',
      /^(api|shared)\/(?!platform\/redis\/|tools\/services\/)/,
      (found) => isPackage('ioredis', 'bullmq')(found) && !found.typeOnly,
      'go through shared/platform/redis',
    ],
    [
      'routes know neither workers nor tables',
      /^api\/routes\//,
      (found) => under('workers/', 'shared/platform/db/', 'shared/items/perform/write')(found) && !found.typeOnly,
      'add a query or an operation in shared',
    ],
    [
      'the console is a client: of the server it knows types alone, the arithmetic of clocks, and how texts are read',
      /^api\/console\//,
      ({ to, typeOnly }) =>
        !typeOnly &&
        /^(api|shared|workers)\//.test(to) &&
        !to.startsWith('api/console/') &&
        !/^shared\/platform\/(?:time\/zones|words\/(?:links|markdown))\.ts$/.test(to),
      'import its types only, or ask by HTTP',
    ],
    [
      'the live stream performs nothing',
      /^api\/live\//,
      under('shared/items/perform/', 'shared/items/operations/'),
      'publish an event instead',
    ],
    [
      'jobs know no HTTP',
      /^workers\//,
      (found) => isPackage('koa', 'ws')(found) || under('api/')(found),
      'publish through Redis',
    ],
    [
      'operations know neither HTTP, Redis nor the database',
      /^shared\/items\/operations\//,
      (found) => under('shared/platform/db/', 'shared/platform/redis/')(found) && !found.typeOnly,
      'read it in perform and pass it in',
    ],
    [
      'HTTP tests know only the contract',
      /^test\/(http|specification)\//,
      (found) => under('api/', 'workers/', 'shared/')(found) && !found.to.startsWith('shared/catalogue/'),
      'go through test/support',
    ],
  ];
  for (const [title, from, forbidden, remedy] of laws) {
    it(title, () => {
      expect(offenders(from, forbidden), remedy).to.deep.equal([]);
    });
  }

  it('the layers below the platform ask nobody for the time or the environment', () => {
    const asking = files
      .filter((file) => /^shared\/(?!platform|sdk|tools)/.test(file))
      .filter((file) => /\bDate\.now\(|process\.env/.test(textOf(file)));
    expect(asking, 'take the time from deps.clock or the moment').to.deep.equal([]);
  });

  it('only the configuration reads the environment', () => {
    const asking = files
      .filter(
        (file) =>
          !file.startsWith('test/') &&
          !file.startsWith('shared/tools/services/') &&
          // The command runs in others' projects, and the starter is an app of theirs.
          !file.startsWith('shared/sdk/command/') &&
          file !== 'shared/platform/config/config.ts',
      )
      .filter((file) => /process\.env|from 'node:process'/.test(textOf(file)));
    expect(asking, 'add the variable to shared/platform/config/config.ts').to.deep.equal([]);
  });
});
