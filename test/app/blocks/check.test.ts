/** Blocks of apps: each valid form comes through whole, and everything else becomes an error with the reason. */
import { expect } from 'chai';
import { renderBlocks } from '../../../shared/app/blocks/renderBlocks.ts';
import { blockLimits } from '../../../shared/app/blocks/schema.ts';
import { validateBlock, validateBlocks } from '../../../shared/app/blocks/validateBlocks.ts';

const message = (block: unknown): string => {
  const checked = validateBlock(block);
  expect(checked.type, JSON.stringify(checked).slice(0, 300)).to.equal('error');
  expect(checked['code']).to.equal('app_error');
  return String(checked['error']);
};

describe('blocks of apps', () => {
  it('fill in what may be left out, and drop what is not known', () => {
    const given: readonly (readonly [object, object])[] = [
      [
        { type: 'text', text: '**hi**', colour: 'red' },
        { type: 'text', title: null, text: '**hi**' },
      ],
      [
        { type: 'fields', title: 'A', fields: [{ label: 'a', more: 1 }] },
        { type: 'fields', title: 'A', fields: [{ label: 'a', value: null, type: 'text' }] },
      ],
      [
        { type: 'stat', value: 3 },
        { type: 'stat', title: null, value: 3, unit: null, change: null },
      ],
      [
        { type: 'table', columns: [{ name: 'a' }], rows: [{ a: 1, b: 2 }, {}] },
        {
          type: 'table',
          title: null,
          columns: [{ name: 'a', label: 'a', type: 'text' }],
          rows: [{ a: 1 }, { a: null }],
        },
      ],
      [
        {
          type: 'chart',
          kind: 'bar',
          series: [
            {
              name: 's',
              points: [
                [1, 2],
                ['May', 3.5],
              ],
            },
          ],
        },
        {
          type: 'chart',
          title: null,
          kind: 'bar',
          series: [
            {
              name: 's',
              points: [
                [1, 2],
                ['May', 3.5],
              ],
            },
          ],
        },
      ],
      [
        { type: 'items', items: [{ id: 'itm_x', title: 'not ours to say' }] },
        { type: 'items', title: null, items: [{ id: 'itm_x' }] },
      ],
      [
        { type: 'record', record: { resource: 'customer', id: '1', title: 'Ada' } },
        {
          type: 'record',
          title: null,
          record: { resource: 'customer', id: '1', title: 'Ada', subtitle: null, fields: {}, updatedAt: null },
        },
      ],
      [
        { type: 'actions', actions: [{ action: 'refund' }] },
        { type: 'actions', title: null, actions: [{ action: 'refund', label: 'refund', record: null, input: {} }] },
      ],
      [
        { type: 'link', url: 'mailto:a@example.com' },
        { type: 'link', title: null, url: 'mailto:a@example.com', label: 'mailto:a@example.com' },
      ],
      [
        { type: 'error', error: 'no data' },
        { type: 'error', title: null, error: 'no data', code: 'app_error' },
      ],
    ];
    for (const [block, wanted] of given) expect(validateBlock(block)).to.deep.equal(wanted);
  });

  it('name the place of what is wrong', () => {
    const wrong: readonly (readonly [object, string])[] = [
      [{ type: 'text' }, 'text is required'],
      [{ type: 'text', text: 5 }, 'text must be string'],
      [{ type: 'text', title: 7, text: '' }, 'title'],
      [{ type: 'fields', fields: {} }, 'fields must be array'],
      [{ type: 'fields', fields: [{ value: 1 }] }, 'fields.0.label is required'],
      [{ type: 'fields', fields: [{ label: 'a', value: {} }] }, 'fields.0.value'],
      [{ type: 'fields', fields: [{ label: 'a', value: 1, type: 'colour' }] }, 'fields.0.type'],
      [{ type: 'stat', value: [] }, 'value'],
      [{ type: 'stat', value: 1, change: '+1' }, 'change'],
      [{ type: 'table', columns: [], rows: [] }, 'columns'],
      [{ type: 'table', columns: [{ name: 'a' }, { name: 'a' }], rows: [] }, 'columns.1.name is there twice'],
      [{ type: 'table', columns: [{ name: '__proto__' }], rows: [] }, 'columns.0.name must be a name'],
      [
        { type: 'table', columns: [{ name: 'a', type: 'number' }], rows: [{ a: 1 }, { a: '1' }] },
        'rows.1.a must be a number',
      ],
      [{ type: 'table', columns: [{ name: 'a' }], rows: [[1]] }, 'rows.0'],
      [{ type: 'chart', kind: 'pie', series: [] }, 'kind'],
      [{ type: 'chart', kind: 'line', series: [{ name: 's', points: [[1, 2, 3]] }] }, 'points.0'],
      [
        { type: 'chart', kind: 'line', series: [{ name: 's', points: [[1, 'two']] }] },
        'series.0.points.0.1 must be a number',
      ],
      [{ type: 'items', items: ['itm_x'] }, 'items.0'],
      [{ type: 'record', record: null }, 'record must be object'],
      [{ type: 'record', record: { resource: 'a b', id: '1', title: '' } }, 'record.resource'],
      [{ type: 'actions', actions: [{ label: 'x' }] }, 'actions.0.action is required'],
      [{ type: 'actions', actions: [{ action: 'x', input: [] }] }, 'actions.0.input must be object'],
      [{ type: 'error' }, 'error is required'],
    ];
    for (const [block, part] of wrong) expect(message(block), JSON.stringify(block)).to.include(part);
  });

  it('hold values to their types', () => {
    const of = (type: string, value: unknown): string =>
      validateBlock({ type: 'fields', fields: [{ label: 'a', value, type }] }).type;
    const right: readonly (readonly [string, readonly unknown[]])[] = [
      ['text', ['a', 1, true]],
      ['number', [1, -2.5]],
      ['money', [12.5, '12.50 EUR']],
      ['time', [0, 1_700_000_000_000]],
      ['boolean', [true, false]],
      ['link', ['https://example.com/a?b#c']],
      ['person', ['per_x']],
    ];
    const wrong: readonly (readonly [string, readonly unknown[]])[] = [
      ['number', ['1', true]],
      ['money', [true]],
      ['time', ['2024', 1.5, 8_640_000_000_000_001]],
      ['boolean', [0, 'true']],
      ['link', ['ftp://a', 'a', 7]],
      ['person', [1]],
      ['text', [{}, []]],
    ];
    for (const [type, values] of right)
      for (const value of [...values, null]) expect(of(type, value), `${type} ${String(value)}`).to.equal('fields');
    for (const [type, values] of wrong)
      for (const value of values) expect(of(type, value), `${type} ${String(value)}`).to.equal('error');
  });

  it('link to the web and to mail only, whatever a script hides behind', () => {
    for (const url of [
      'https://example.com',
      'http://localhost:3000/a%20b',
      'mailto:a@example.com?subject=x',
      'HTTPS://EXAMPLE.COM',
    ])
      expect(validateBlock({ type: 'link', url }).type).to.equal('link');
    const refused = [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      ' javascript:alert(1)',
      'java\nscript:alert(1)',
      'java\tscript:alert(1)',
      '\u0001javascript:alert(1)',
      'data:text/html,<script>',
      'vbscript:x',
      'file:///etc/passwd',
      '//example.com',
      '/a',
      '',
      'https://',
      'https://a b',
      'http:\\\\example.com',
      'blob:https://example.com/x',
      'javascript://example.com/%0aalert(1)',
      `https://example.com/${'a'.repeat(3000)}`,
    ];
    for (const url of refused)
      expect(validateBlock({ type: 'link', url, label: 'x' }).type, JSON.stringify(url)).to.equal('error');
  });

  it('hold nothing that can’t be kept or sent on', () => {
    let deep: unknown = 'x';
    for (let i = 0; i < 100_000; i++) deep = [deep];
    for (const more of [
      { text: 'a\u0000' },
      { text: '\ud800' },
      { text: 'a', title: '\udfff' },
      { text: 'a', deep },
      { text: 'a', number: Number.POSITIVE_INFINITY },
      { text: 'a', whole: 2 ** 60 },
    ])
      message({ type: 'text', ...more });
    for (const given of [
      null,
      7,
      'text',
      [],
      undefined,
      {},
      { type: 7 },
      { type: 'constructor' },
      { type: '__proto__' },
      { type: 'toString' },
      JSON.parse('{"__proto__":{"type":"text","text":"x"}}'),
    ])
      message(given);
  });

  it('keep the title of one that is replaced', () => {
    expect(validateBlock({ type: 'stat', title: 'Sales', value: {} })).to.deep.include({
      type: 'error',
      title: 'Sales',
    });
    expect(validateBlock({ type: 'stat', title: 'x'.repeat(500), value: 1 })).to.deep.include({
      type: 'error',
      title: null,
    });
  });

  it('come with those beside them that are well', () => {
    expect(
      validateBlocks([{ type: 'text', text: 'a' }, { type: 'nonsense' }, { type: 'text', text: 'b' }]).map(
        ({ type }) => type,
      ),
    ).to.deep.equal(['text', 'error', 'text']);
  });

  it('are a list, of at most 100 and 256 KiB in all', () => {
    for (const given of [null, {}, 'x', 7, undefined])
      expect(validateBlocks(given).map(({ type }) => type)).to.deep.equal(['error']);
    const many = validateBlocks(Array.from({ length: 5000 }, () => ({ type: 'text', text: 'a' })));
    expect(many).to.have.length(blockLimits.count + 1);
    expect(many.at(-1)).to.deep.include({ type: 'error', code: 'app_error' });
    const large = validateBlocks(
      Array.from({ length: 20 }, (_, i) => ({ type: 'text', title: String(i), text: 'ä'.repeat(32 * 1024) })),
    );
    expect(large.map(({ type }) => type)).to.deep.equal(['text', 'text', 'text', 'error']);
    expect(Buffer.byteLength(JSON.stringify(large))).to.be.below(blockLimits.bytes + 1000);
    expect(message({ type: 'text', text: 'a'.repeat(10 * 1024 * 1024) })).to.include('too large');
  });
});

describe('declared blocks', () => {
  const subject = {
    item: { title: 'Broken', fields: { n: 3, more: { a: 1 }, url: 'https://example.com' } },
    record: null,
  };

  it('fill their templates, keeping values of their types and showing as text what is text', () => {
    expect(
      renderBlocks(
        [
          { type: 'text', text: '{{item.fields.n}}' },
          { type: 'text', text: '{{item.fields.nothing}}' },
          { type: 'text', text: '{{ item.title }}: {{record.title}}{{item.fields.more}}' },
          { type: 'stat', value: '{{item.fields.n}}' },
          {
            type: 'fields',
            fields: [
              { label: 'More', value: '{{item.fields.more}}' },
              { label: 'None', value: '{{record.fields.x}}', type: 'number' },
            ],
          },
          { type: 'link', url: '{{item.fields.url}}' },
          { type: 'link', url: '{{item.fields.nothing}}' },
        ],
        subject,
      ).map(({ title: _, ...block }) => block),
    ).to.deep.equal([
      { type: 'text', text: '3', plain: true },
      { type: 'text', text: '', plain: true },
      { type: 'text', text: 'Broken: {"a":1}', plain: true },
      { type: 'stat', value: 3, unit: null, change: null },
      {
        type: 'fields',
        fields: [
          { label: 'More', value: '{"a":1}', type: 'text' },
          { label: 'None', value: null, type: 'number' },
        ],
      },
      { type: 'link', url: 'https://example.com', label: 'https://example.com' },
    ]);
  });

  it('are checked once they are filled: data is not trusted either', () => {
    const evil = { item: { fields: { url: 'javascript:alert(1)' } } };
    expect(renderBlocks([{ type: 'link', url: '{{item.fields.url}}' }], evil).map(({ type }) => type)).to.deep.equal([
      'error',
    ]);
    expect(
      renderBlocks([{ type: 'text', text: '{{item.constructor.name}}{{item.__proto__}}' }], evil)[0],
    ).to.deep.include({ type: 'text', text: '' });
  });
});
