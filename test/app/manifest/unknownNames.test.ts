/** Names in a manifest that lead nowhere although the service takes it: each is found, and nothing that may lead somewhere. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { crossReferenceProblems } from '../../../shared/app/manifest/manifestProblems.ts';
import { manifestWarnings, parseManifestParts } from '../../../shared/app/manifest/readManifest.ts';
import { testManifest } from '../../support/manifest.ts';

const resources = [
  {
    name: 'order',
    source: 'stored',
    fields: [
      { name: 'status', filter: true },
      { name: 'total', type: 'money', sort: true },
      { name: 'customer' },
      { name: 'address' },
      { name: 'due', type: 'date' },
    ],
  },
  { name: 'customer', source: 'stored', fields: [{ name: 'email' }] },
  { name: 'event', source: 'stored' },
];
const fields = {
  type: 'object',
  properties: { email: { type: 'string' }, plan: { type: 'object', properties: { name: { type: 'string' } } } },
};
const closed = { ...fields, additionalProperties: false };
const whole = (parts: object): object => ({
  resources,
  inboxes: [{ name: 'mail', fields, states: [{ name: 'new', kind: 'open' }] }],
  actions: [{ name: 'refund', resource: 'order', input: closed }],
  ...parts,
});
const holds = (field: string): object => ({ field, op: 'exists' });
const order = (parts: object): object => ({ resources: [{ ...resources[0], ...parts }, ...resources.slice(1)] });
const inbox = (parts: object): object => ({ inboxes: [{ name: 'mail', fields, ...parts }] });
const action = (parts: object): object => ({
  actions: [{ name: 'refund', resource: 'order', input: closed, ...parts }],
});
const page = (block: object): object => ({ pages: [{ name: 'home', params: [{ name: 'at' }], blocks: [block] }] });
const records = { type: 'table', source: 'records' };
const text = (template: string): object => ({ type: 'text', text: `{{${template}}}` });
const button = (parts: object): object => ({
  type: 'actions',
  actions: [{ action: 'refund', record: 'o1', ...parts }],
});

/** Returns the problems of a manifest but those of its schemas, which take long to compile. */
const refusals = (manifest: unknown): unknown[] => {
  const read = parseManifestParts(manifest);
  return [...read.problems, ...crossReferenceProblems(read)];
};

describe('names that lead nowhere', () => {
  const wrong: readonly (readonly [parts: object, path: string, message: RegExp])[] = [
    [
      action({ when: holds('record.fields.stauts') }),
      'actions.0.when.field',
      /^names record\.fields\.stauts, which is not declared; did you mean record\.fields\.status\?$/,
    ],
    [
      action({ when: { if: { all: [{ not: holds('record.feilds.status') }] }, otherwise: 'No.' } }),
      'actions.0.when.if.all.0.not.field',
      /did you mean record\.fields\?/,
    ],
    [action({ when: holds('item.title') }), 'actions.0.when.field', /known: input, record$/],
    [action({ when: holds('record.fields.colour') }), 'actions.0.when.field', /known: .*status/],
    [action({ resource: null, when: holds('record.id') }), 'actions.0.when.field', /the action takes none/],
    [
      action({ defaults: { email: '{{record.fields.mail}}' } }),
      'actions.0.defaults.email',
      /^names \{\{record\.fields\.mail\}\}/,
    ],
    [
      action({ input: fields, defaults: { emial: 'x' } }),
      'actions.0.defaults.emial',
      /^is not declared; did you mean email\?$/,
    ],
    [
      action({ input: { ...fields, properties: { code: { type: 'string', maxlength: 3 } } } }),
      'actions.0.input.properties.code.maxlength',
      /^is no keyword of JSON Schema, and checks nothing; did you mean maxLength\?$/,
    ],
    [
      action({ input: { ...closed, required: ['emial'] } }),
      'actions.0.input.required.0',
      /^demands emial, which additionalProperties refuses; did you mean email\?$/,
    ],
    [
      inbox({ fields: { ...fields, properties: { seats: { type: 'integer', default: 'many' } } } }),
      'inboxes.0.fields.properties.seats.default',
      /^is of another type than integer/,
    ],
    ...[
      { type: 'string', enum: ['a', 'b'], default: 'c' },
      { const: 1, default: 2 },
      { enum: [{ a: 1 }], default: {} },
    ].map(
      (plan) =>
        [
          action({ input: { ...fields, properties: { plan } } }),
          'actions.0.input.properties.plan.default',
          /^is not one of the values that are taken/,
        ] as const,
    ),
    [
      action({ input: { ...fields, properties: { to: { type: 'number', 'x-resource': 'customer' } } } }),
      'actions.0.input.properties.to.x-resource',
      /^is for a text, the id of a record, and does nothing for number$/,
    ],
    [
      action({ when: { not: { field: 'record.fields.due', op: 'lt', value: 1_000 } } }),
      'actions.0.when.not.value',
      /^never holds: record\.fields\.due is declared as date/,
    ],
    [
      inbox({
        triage: { rules: [{ when: { field: 'record.fields.due', op: 'gte', value: 1_000 }, close: true }] },
      }),
      'inboxes.0.triage.rules.0.when.value',
      /^never holds/,
    ],
    [
      inbox({ suggest: [{ action: 'refund', when: { field: 'record.fields.due', op: 'gt', value: 1_000 } }] }),
      'inboxes.0.suggest.0.when.value',
      /^never holds/,
    ],
    [
      order({ blocks: [text('record.fields.totl')] }),
      'resources.0.blocks.0.text',
      /did you mean record\.fields\.total\?/,
    ],
    [
      order({ blocks: [{ ...text('record.id'), title: '{{record.titel}}' }] }),
      'resources.0.blocks.0.title',
      /record\.title\?/,
    ],
    [
      order({ blocks: [button({ action: 'refnd' })] }),
      'resources.0.blocks.0.actions.0.action',
      /did you mean refund\?/,
    ],
    [
      order({ relations: [{ name: 'customer', resource: 'customer', key: 'custmer' }] }),
      'resources.0.relations.0.key',
      /^names the field custmer, which order does not declare; did you mean customer\?$/,
    ],
    [
      order({ relations: [{ name: 'others', resource: 'customer', field: 'order' }] }),
      'resources.0.relations.0.field',
      /which customer does not declare; known: email$/,
    ],
    [inbox({ blocks: [text('item.fields.emial')] }), 'inboxes.0.blocks.0.text', /did you mean item\.fields\.email\?/],
    [inbox({ blocks: [text('item.fields.plan.nmae')] }), 'inboxes.0.blocks.0.text', /item\.fields\.plan\.name\?/],
    [inbox({ fields: closed, blocks: [text('item.fields.colour')] }), 'inboxes.0.blocks.0.text', /known: /],
    [inbox({ blocks: [text('item.assigne')] }), 'inboxes.0.blocks.0.text', /did you mean item\.assignee\?/],
    [
      inbox({ suggest: [{ action: 'refund', when: holds('item.record.resorce') }] }),
      'inboxes.0.suggest.0.when.field',
      /item\.record\.resource\?/,
    ],
    [inbox({ suggest: [{ action: 'refund', input: { emails: 'x' } }] }), 'inboxes.0.suggest.0.input.emails', /email\?/],
    [
      inbox({ triage: { rules: [{ when: { any: [holds('item.titel')] }, close: true }] } }),
      'inboxes.0.triage.rules.0.when.any.0.field',
      /item\.title\?/,
    ],
    [
      inbox({ reply: { via: 'smtp', from: 'a@example.com', to: '{{record.title}}' } }),
      'inboxes.0.reply.to',
      /known: item$/,
    ],
    [{ views: [{ name: 'v', fields: { emial: 'x' } }] }, 'views.0.fields.emial', /did you mean email\?/],
    [{ views: [{ name: 'v', record: 'ordr:o1' }] }, 'views.0.record', /the resource ordr.*did you mean order\?/],
    [page({ type: 'items', source: 'items', query: { state: 'new,nwe' } }), 'pages.0.blocks.0.query.state', /new\?/],
    [
      page({ type: 'items', source: 'items', query: { priority: 'high,hihg' } }),
      'pages.0.blocks.0.query.priority',
      /high\?/,
    ],
    [page({ type: 'stat', source: 'counts', query: { state: 'nwe' } }), 'pages.0.blocks.0.query.state', /new\?/],
    [
      page({ ...records, query: { resource: 'order', filters: { stauts: 'paid' } } }),
      'pages.0.blocks.0.query.filters.stauts',
      /did you mean status\?/,
    ],
    [
      page({ ...records, query: { resource: 'order', sort: '-status' } }),
      'pages.0.blocks.0.query.sort',
      /known: .*total/,
    ],
    [
      page({ ...records, query: { resource: 'order' }, columns: [{ name: 'totl' }] }),
      'pages.0.blocks.0.columns.0.name',
      /did you mean total\?/,
    ],
    [page(button({ action: 'refnd' })), 'pages.0.blocks.0.actions.0.action', /did you mean refund\?/],
  ];
  it('are found in each place, with the name that was probably meant', () => {
    for (const [parts, path, message] of wrong) {
      const manifest = whole(parts);
      expect(refusals(manifest), path).to.deep.equal([]);
      const found = manifestWarnings(manifest);
      expect(
        found.map((one) => one.path),
        JSON.stringify(parts),
      ).to.deep.equal([path]);
      expect(found[0]?.message).to.match(message);
    }
  });

  const right: readonly object[] = [
    action({ when: holds('record.fields.address.city') }),
    action({ resource: 'event', when: holds('record.fields.anything') }),
    action({ when: { field: 'record.fields.due', op: 'lt', value: '2026-01-31' } }),
    action({ input: { ...fields, properties: { plan: { enum: [1, { a: 1, b: 2 }], default: { b: 2, a: 1 } } } } }),
    action({ input: { ...fields, properties: { to: { type: ['string', 'null'], 'x-resource': 'customer' } } } }),
    action({ input: { type: 'object' }, defaults: { anything: '{{record.title}}' } }),
    inbox({ blocks: [text('item.fields.colour'), text('record.fields.anything'), text('item.fields.email.part')] }),
    inbox({ fields: { ...fields, additionalProperties: true }, blocks: [text('item.fields.emial')] }),
    inbox({ fields: { ...fields, allOf: [{ properties: { emial: {} } }] }, blocks: [text('item.fields.emial')] }),
    inbox({ fields: { ...fields, patternProperties: { '^e': {} } }, blocks: [text('item.fields.emial')] }),
    order({ relations: [{ name: 'events', resource: 'event', field: 'anything' }] }),
    page({ ...records, query: { resource: 'event', sort: 'updatedAt' }, columns: [{ name: 'anything' }] }),
    page({ type: 'items', source: 'items', query: { inbox: '{{params.at}}', state: 'new', record: '{{params.at}}' } }),
    page({ type: 'table', source: 'counts', columns: [{ name: 'label' }, { name: 'active' }, { name: 'new' }] }),
  ];
  it('are no names that may lead somewhere', () => {
    for (const parts of right) {
      expect(refusals(whole(parts)), JSON.stringify(parts)).to.deep.equal([]);
      expect(manifestWarnings(whole(parts)), JSON.stringify(parts)).to.deep.equal([]);
    }
  });

  it('are refused in templates, each at its place, with what a page has to declare', () => {
    const block = { type: 'items', source: 'items', query: { fields: { email: '{{params.q}}' } } };
    const at = 'pages.0.blocks.0.query.fields.email';
    for (const [params, known] of [
      [[], ''],
      [[{ name: 'at' }], 'params.at, '],
    ] as const)
      expect(refusals(whole({ pages: [{ name: 'home', params, blocks: [block] }] }))).to.deep.equal([
        {
          path: at,
          message: `has the template {{params.q}}; known here are ${known}params.<name> once the page declares it in params`,
        },
      ]);
  });

  it('are in no app of this repository', () => {
    const demo: unknown = JSON.parse(
      readFileSync(new URL('../../../shared/tools/demo/manifest.json', import.meta.url), 'utf8'),
    );
    expect(manifestWarnings(demo)).to.deep.equal([]);
    expect(manifestWarnings(testManifest)).to.deep.equal([]);
  });
});
