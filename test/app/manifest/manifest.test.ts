/** Manifests: every problem at once with its path. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { manifestProblems } from '../../../shared/app/manifest/readManifest.ts';
import { testManifest } from '../../support/manifest.ts';
import { wrong } from './wrongManifests.ts';

const paths = (manifest: unknown): string[] => manifestProblems(manifest).map(({ path }) => path);
const whole = (parts: object): object => ({
  resources: [{ name: 'customer', source: 'stored', fields: [{ name: 'email' }] }],
  inboxes: [{ name: 'mail' }],
  actions: [{ name: 'ping' }],
  ...parts,
});

describe('manifests', () => {
  it('of the demo and of the tests hold', () => {
    expect(
      manifestProblems(
        JSON.parse(readFileSync(new URL('../../../shared/tools/demo/manifest.json', import.meta.url), 'utf8')),
      ),
    ).to.deep.equal([]);
    expect(manifestProblems(testManifest)).to.deep.equal([]);
    expect(manifestProblems({})).to.deep.equal([]);
  });

  for (const [what, cases] of Object.entries(wrong)) {
    it(`refuse ${what}`, () => {
      for (const [parts, wanted] of cases)
        expect(
          [...new Set(paths(whole(parts)))],
          JSON.stringify(manifestProblems(whole(parts))).slice(0, 1000),
        ).to.include.members([...wanted]);
    });
  }

  it('take numbers in the order of numbers, and texts in that of other fields', () => {
    const when = (field: string, op: string, value: unknown): object => ({
      resources: [
        {
          name: 'order',
          source: 'stored',
          fields: [{ name: 'total', type: 'money' }, { name: 'paidAt', type: 'text' }, { name: 'any' }],
        },
      ],
      actions: [{ name: 'pay', resource: 'order', when: { field: `record.fields.${field}`, op, value } }],
    });
    for (const manifest of [
      when('total', 'lte', 50),
      when('total', 'eq', '50 EUR'),
      when('paidAt', 'lt', '2026-01-01'),
      when('any', 'lt', '2026'),
    ])
      expect(manifestProblems(manifest)).to.deep.equal([]);
    const [problem] = manifestProblems(when('total', 'lte', '50'));
    expect(problem).to.deep.equal({
      path: 'actions.0.when.value',
      message: 'must be a number, as record.fields.total is declared as money',
    });
  });

  it('name every problem at once, of their form and of what they say', () => {
    const found = paths(
      whole({
        resources: [
          { name: 'customer', source: 'elsewhere' },
          {
            name: 'order',
            source: 'stored',
            relations: [
              { name: 'of', resource: 'ghost', field: 'x' },
              { name: 'by', resource: 'customer', field: 'x' },
            ],
          },
        ],
        inboxes: [
          { name: 'mail', states: [{ name: 'new', kind: 'fresh' }] },
          { name: 'desk', initial: 'gone' },
          { name: 'desk' },
          null,
        ],
        views: [
          { name: 'v', inbox: 'mail', state: 'new' },
          { name: 'w', inbox: 'desk', state: 'new' },
          { name: 'x', sort: 'colour' },
        ],
        actions: [
          { name: 'a', danger: 'huge', input: { properties: { x: { $ref: 'http://x' } } } },
          { name: 'b', when: { field: 'record.x', op: 'like' } },
          { label: 'nameless' },
          { name: 'c', resource: 'customer' },
        ],
        pages: [{ name: 'p', blocks: [{ type: 'tex' }] }, { name: 'q' }],
        flags: [
          { key: 'f', kind: 'colour', default: 1 },
          { key: 'g', kind: 'boolean', default: 'yes' },
        ],
        colours: [],
      }),
    );
    expect(found.sort()).to.deep.equal([
      'actions.0.danger',
      'actions.0.input.properties.x.$ref',
      'actions.1.when.op',
      'actions.2.name',
      'colours',
      'flags.0.kind',
      'flags.1.default',
      'inboxes.0.states.0.kind',
      'inboxes.1.initial',
      'inboxes.2',
      'inboxes.3',
      'pages.0.blocks.0.type',
      'pages.1.blocks',
      'resources.0.source',
      'resources.1.relations.0.resource',
      'views.1.state',
      'views.2.sort',
    ]);
    expect(paths({ inboxes: {}, views: [{ name: 'v', inbox: 'mail' }] })).to.deep.equal(['inboxes']);
    expect(
      paths({ actions: Array.from({ length: 150 }, (_, n) => ({ name: `a${String(n)}`, danger: 'huge' })) }),
    ).to.have.length(150);
    expect(
      paths({
        flags: Array.from({ length: 2_000 }, () => null),
        pages: [{ name: 'p', blocks: [null] }],
        actions: [
          { name: 'a', input: { enum: Array.from({ length: 20_000 }, String) } },
          { name: 'b', defaults: 5 },
        ],
      }),
    ).not.to.deep.equal([]);
  });

  it('name every problem of what they say at once', () => {
    const all = Object.values(wrong)
      .filter((_, i) => i !== 0)
      .map((cases) => cases[0]?.[0] ?? {})
      .filter((parts) => 'views' in parts || 'flags' in parts || 'pages' in parts);
    const joined = whole(Object.assign({}, ...all) as object);
    expect(paths(joined).length).to.be.above(3);
    expect(new Set(paths(joined).map((path) => path.split('.')[0])).size).to.be.above(1);
  });
});
