/** The import law: what each part of the tree may know of the others. A failing line says what to do. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folders = ['api', 'workers', 'shared', 'migrations', 'test'];

const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file)));

interface Import {
  readonly file: string;
  /** A path from the root, or a package's name. */
  readonly to: string;
  readonly typeOnly: boolean;
}

const importsOf = (file: string): Import[] => {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/^(?:import|export)\s+(type\s)?[^;]*?from\s+'([^']+)'/gm)].map(([, typeOnly, target = '']) => ({
    file,
    to: target.startsWith('.') ? relative(root, resolve(root, dirname(file), target)) : target,
    typeOnly: typeOnly !== undefined,
  }));
};

const all = files.flatMap(importsOf);
const domains = ['agents', 'audit', 'bulk', 'environments', 'items', 'records'];
const domainPath = new RegExp(`^shared/(${domains.join('|')})/`);

const offenders = (from: RegExp, forbidden: (found: Import) => boolean): string[] =>
  all.filter((found) => from.test(found.file) && forbidden(found)).map(({ file, to }) => `${file} imports ${to}`);

const isPackage = (...names: string[]) => ({ to }: Import): boolean => names.includes(to);
const under = (...paths: string[]) => ({ to }: Import): boolean => paths.some((path) => to.startsWith(path));

describe('law: imports', () => {
  it('reads the tree', () => {
    expect(files.length).to.be.above(80);
    expect(all.length).to.be.above(300);
  });

  const laws: readonly [string, RegExp, (found: Import) => boolean, string][] = [
    ['the catalogue stands alone', /^shared\/catalogue\//, ({ to, typeOnly }) => to.startsWith('shared/') && !to.startsWith('shared/catalogue/') && !typeOnly, 'move what it needs into the catalogue'],
    ['core, db and redis know no domain', /^shared\/(core|db|redis)\//, (found) => domainPath.test(found.to) || under('shared/perform/', 'api/', 'workers/')(found), 'pass it in as a value'],
    ['shared code knows neither HTTP nor sockets', /^shared\/(?!cli|demo|services|sdk)/, (found) => isPackage('koa', '@koa/router', 'koa-body', 'ws')(found) || under('api/', 'workers/')(found), 'move it to api or workers'],
    ['the SDK runs in others’ programs: ws, the protocol and the evaluator are all it has', /^shared\/sdk\//, ({ to, typeOnly }) => !typeOnly && !to.startsWith('shared/sdk/') && !to.startsWith('node:') && !['ws', 'shared/applink/protocol.ts', 'shared/flags/evaluate.ts'].includes(to), 'do without it, or import its types only'],
    ['the evaluator is pure', /^shared\/flags\/(evaluate|bucket)\.ts$/, ({ to }) => !['shared/core/conditions.ts', 'shared/flags/bucket.ts'].includes(to), 'pass it in as a value'],
    ['only shared/db knows knex and pg', /^(api|workers|shared)\/(?!db\/|services\/)/, isPackage('knex', 'pg', 'objection'), 'add a statement and call it through shared/db/sql.ts'],
    ['only shared/redis and workers/ know ioredis and bullmq', /^(api|shared)\/(?!redis\/|services\/)/, (found) => isPackage('ioredis', 'bullmq')(found) && !found.typeOnly, 'go through shared/redis'],
    ['routes know neither workers nor tables', /^api\/routes\//, (found) => under('workers/', 'shared/db/', 'shared/perform/write')(found) && !found.typeOnly, 'add a query or an operation in shared'],
    ['the live stream performs nothing', /^api\/live\//, under('shared/perform/perform', 'shared/items/operations/'), 'publish an event instead'],
    ['jobs know no HTTP', /^workers\//, (found) => isPackage('koa', 'ws')(found) || under('api/')(found), 'publish through Redis'],
    ['operations know neither HTTP, Redis nor the database', /^shared\/items\/operations\//, (found) => under('shared/db/', 'shared/redis/', 'api/')(found) && !found.typeOnly, 'read it in perform and hand it in'],
    ['HTTP tests know only the contract', /^test\/(http|specification)\//, (found) => under('api/', 'workers/', 'shared/')(found) && !found.to.startsWith('shared/catalogue/'), 'go through test/support'],
  ];
  for (const [title, from, forbidden, remedy] of laws) {
    it(title, () => {
      expect(offenders(from, forbidden), remedy).to.deep.equal([]);
    });
  }

  it('operations ask nobody for the time or the environment', () => {
    const asking = files
      .filter((file) => /^shared\/(items\/operations|perform)\//.test(file) || domainPath.test(file))
      .filter((file) => /\bDate\.now\(|process\.env/.test(readFileSync(join(root, file), 'utf8')));
    expect(asking, 'take the time from deps.clock or the moment').to.deep.equal([]);
  });

  it('only the configuration reads the environment', () => {
    const asking = files
      .filter((file) => !file.startsWith('test/') && !file.startsWith('shared/services/') && file !== 'shared/core/config.ts')
      .filter((file) => /process\.env|from 'node:process'/.test(readFileSync(join(root, file), 'utf8')));
    expect(asking, 'add the variable to shared/core/config.ts').to.deep.equal([]);
  });
});
