/** The documents describe what the code does: tables are printed from the catalogue, names and variables have to be there. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { toolsetNames, toolsOf } from '../../api/mcp/toolsets.ts';
import { errors } from '../../shared/catalogue/errors.ts';
import { liveTypes } from '../../shared/catalogue/events.ts';
import { builtInRoles, namedKinds, permissions } from '../../shared/catalogue/permissions.ts';
import { apiVersion } from '../../shared/catalogue/release.ts';
import { secretFile } from '../../shared/platform/config/secretFiles.mjs';
import { expectPrinted } from '../support/printed.ts';
import { layers } from './source.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const errorTable = (): string =>
  [
    '| status | code | meaning |',
    '| - | - | - |',
    ...Object.entries(errors).map(([code, row]) => `| ${String(row.status)} | \`${code}\` | ${row.message} |`),
  ].join('\n');

const permissionTable = (): string =>
  [
    '| on | verbs | viewer | operator | admin |',
    '| - | - | - | - | - |',
    ...Object.entries(permissions).map(([kind, verbs]) => {
      const on = (namedKinds as readonly string[]).includes(kind) ? `${kind}:*` : kind;
      const of = (role: keyof typeof builtInRoles): string => {
        const can = builtInRoles[role].find((grant) => grant.on === on)?.can ?? [];
        return can.includes('*') ? 'all' : can.join(', ');
      };
      return `| \`${on}\`${on.endsWith('*') ? ` or \`${kind}:<name>\`` : ''} | ${verbs.join(', ')} | ${of('viewer')} | ${of('operator')} | ${of('admin')} |`;
    }),
  ].join('\n');

/** Each with the first sentence of what models read about it. */
const toolTable = (): string =>
  [
    '| tool | |',
    '| - | - |',
    ...toolsOf(toolsetNames).map(
      ({ entry: { name, description } }) => `| \`${name}\` | ${description.split(/(?<=[.])\s/)[0] ?? ''} |`,
    ),
  ].join('\n');

/** Without its head, which stands above the mark. */
const decisionRows = (): string =>
  readdirSync(new URL('../../docs/decisions', import.meta.url))
    .sort()
    .map((file) => {
      const title = /^# (.+)$/m.exec(read(`docs/decisions/${file}`))?.[1] ?? '';
      return `| ${String(Number(file.slice(0, 4)))} | [${title}](decisions/${file}) |`;
    })
    .join('\n');

const table = (path: string, mark: string, wanted: string): void => {
  expectPrinted(path, mark, wanted, 'npx mocha test/laws/docs.test.ts');
};

describe('law: documents', () => {
  it('docs/agents.md has the table of errors', () => {
    table('docs/agents.md', 'errors', errorTable());
  });

  it('docs/agents.md has the table of permissions', () => {
    table('docs/agents.md', 'permissions', permissionTable());
  });

  it('docs/agents.md has the table of tools', () => {
    table('docs/agents.md', 'tools', toolTable());
  });

  it('docs/architecture.md lists the decisions', () => {
    table('docs/architecture.md', 'decisions', decisionRows());
  });

  it('docs/architecture.md and the import law have the same layers', () => {
    const tree = /^shared\/ .*\n([\s\S]*?)^migrations\//m.exec(read('docs/architecture.md'))?.[1] ?? '';
    const listed = tree
      .split('\n')
      .flatMap((line) => [...(/^ {2}(\S.*?)(?: {2,}|$)/.exec(line)?.[1] ?? line).matchAll(/([a-zA-Z]+)(?:\/|\.ts)/g)])
      .map(([found, name = '']) => (found.endsWith('.ts') ? found : name));
    expect(listed, 'list the layers in their order').to.deep.equal(layers);
  });

  it('the package, the API and the changelog have the same version', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(apiVersion, 'set apiVersion in shared/catalogue/release.ts').to.equal(version);
    expect(/^## (\S+) /m.exec(read('CHANGELOG.md'))?.[1], 'add a section to CHANGELOG.md').to.equal(version);
  });

  it('docs/agents.md names every live message that a subscriber hears of changes', () => {
    const text = read('docs/agents.md');
    for (const type of liveTypes) expect(text, `explain the live type ${type}`).to.include(`\`${type}\``);
  });

  it('docs/protocol.md names every method of the app link', () => {
    const text = read('docs/protocol.md');
    const methods = [...read('shared/app/link/protocol.ts').matchAll(/^ {2}'([a-z]+\.[a-zA-Z]+)':/gm)].map(
      ([, name = '']) => name,
    );
    expect(methods).to.have.length.above(15);
    for (const name of methods) expect(text, `explain ${name} in docs/protocol.md`).to.include(`\`${name}\``);
  });

  it('docs/operators.md explains every variable that the configuration reads', () => {
    const text = read('docs/operators.md');
    const names = ['config', 'openIdConfig', 'tracingConfig'].flatMap((file) =>
      [...read(`shared/platform/config/${file}.ts`).matchAll(/name: '([A-Z_]+)'/g)].map(([, name = '']) => name),
    );
    expect(names).to.have.length.above(10);
    const mayBeFile = (name: string): boolean => secretFile({ [`${name}_FILE`]: 'a file' }, name) !== undefined;
    for (const name of [...names, ...names.filter(mayBeFile).map((each) => `${each}_FILE`)])
      expect(text, `explain ${name} in docs/operators.md`).to.include(`\`${name}\``);
  });

  it('every file and script that the README and docs name exists', () => {
    const scripts = Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts);
    for (const path of [
      'README.md',
      'docs/agents.md',
      'docs/operators.md',
      'docs/production.md',
      'docs/growing.md',
      'docs/metrics.md',
      'docs/alerts.md',
      'docs/images.md',
      'docs/customers-app.md',
      'docs/protocol.md',
      'docs/architecture.md',
      'CONTRIBUTING.md',
      'CHANGELOG.md',
    ]) {
      const text = read(path);
      for (const [, script = ''] of text.matchAll(/npm run (?:-s )?([a-z:-]+)/g))
        expect(scripts, `${path} names npm run ${script}`).to.include(script);
      for (const [, file = ''] of text.matchAll(/\]\((?!http)([\w./-]+)\)/g))
        read(path.startsWith('docs/') ? `docs/${file}` : file);
      for (const [, file = ''] of text.matchAll(/node (test\/[\w./-]+)/g)) read(file);
    }
  });
});
