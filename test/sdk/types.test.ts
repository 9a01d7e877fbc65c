/** What an author's editor knows: checked by the compiler, which checks this file with all others. */
import { expect } from 'chai';
import type { Manifest } from '../../shared/environments/manifest.ts';
import { manifestProblems } from '../../shared/environments/readManifest.ts';
import { ActionFailed, defineApp, type App } from '../../shared/sdk/index.ts';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(): T | undefined => undefined;

const app: App = defineApp({
  resources: {
    order: {
      source: 'stored',
      fields: [{ name: 'total', type: 'money' }],
      detail: ({ id }) => ({ blocks: [{ type: 'text', title: null, text: id }] }),
    },
    payment: {
      source: 'app',
      search: ({ q, limit }) => [{ id: q, title: String(limit) }],
      list: ({ cursor }) => ({ records: [], cursor }),
      get: ({ ids }) => ids.map((id) => ({ id, title: id })),
      available: ({ ids }) =>
        Object.fromEntries(ids.map((id) => [id, { defaults: { refund: { reason: 'duplicate' } } }])),
    },
  },
  inboxes: {
    support: {
      reply: {
        via: 'app',
        send: ({ delivery, text }) => {
          if (text === delivery) throw new ActionFailed('Odd.');
        },
      },
      detail: ({ item }) => ({ blocks: [{ type: 'text', title: null, text: item.title }] }),
    },
  },
  views: { urgent: { inbox: 'support', sort: '-lastSeen', overdue: '1' } },
  actions: {
    refund: {
      resource: 'order',
      input: {
        type: 'object',
        additionalProperties: false,
        required: ['reason'],
        properties: {
          reason: { enum: ['duplicate', 'fraud'] },
          amount: { type: 'number' },
          note: { type: ['string', 'null'] },
          lines: { type: 'array', items: { type: 'integer' } },
        },
      },
      danger: 'high',
      run: ({ input, record, progress, attempt }) => {
        holds<Same<typeof input.reason, 'duplicate' | 'fraud'>>();
        holds<Same<typeof input.amount, number | undefined>>();
        holds<Same<typeof input.note, string | null | undefined>>();
        holds<Same<typeof input.lines, number[] | undefined>>();
        // @ts-expect-error: the schema has no such property
        void input.other;
        progress(attempt, 'Half way');
        return { message: `Refunded ${record?.title ?? ''}.`, blocks: [] };
      },
    },
    reindex: {
      background: true,
      run: async ({ input, signal }) => {
        holds<Same<typeof input, Readonly<Record<string, unknown>>>>();
        await Promise.resolve(signal.aborted);
        return 'Done.';
      },
    },
    silent: { run: () => undefined },
  },
  pages: {
    overview: {
      blocks: [
        { type: 'stat', source: 'counts', query: { inbox: 'support', count: 'total' } },
        {
          type: 'chart',
          kind: 'bar',
          load: ({ params }) => ({ series: [{ name: 'a', points: [[1, Object.keys(params).length]] }] }),
        },
      ],
    },
  },
  flags: { banner: { kind: 'string', default: '' }, on: { kind: 'boolean', default: false, approval: true } },
  triage: {
    support: {
      rules: [{ when: { field: 'item.title', op: 'contains', value: 'spam' }, close: true }],
      answer: ({ item }) => ({ answers: { spam: item.title } }),
    },
  },
});

export const refused = (): void => {
  defineApp({
    // @ts-expect-error: a resource that the app serves needs its handlers
    resources: { payment: { source: 'app' } },
  });
  // @ts-expect-error: a default has to be of the flag's kind
  defineApp({ flags: { banner: { kind: 'string', default: 1 } } });
  // @ts-expect-error: an action without a handler
  defineApp({ actions: { refund: { label: 'Refund' } } });
  // @ts-expect-error: no such sort
  defineApp({ views: { odd: { sort: 'colour' } } });
};

describe('sdk: declarations', () => {
  it('makes a manifest that the service takes, without the handlers', () => {
    expect(manifestProblems(JSON.parse(JSON.stringify(app.manifest)))).to.deep.equal([]);
    const manifest = app.manifest as unknown as Manifest;
    expect(manifest.inboxes?.[0]).to.deep.equal({
      name: 'support',
      reply: { via: 'app' },
      triage: { rules: [{ when: { field: 'item.title', op: 'contains', value: 'spam' }, close: true }], app: true },
    });
    expect(manifest.pages?.[0]?.blocks[1]).to.deep.equal({ type: 'chart', kind: 'bar', source: 'app' });
    expect(manifest.actions?.map(({ name }) => name)).to.deep.equal(['refund', 'reindex', 'silent']);
    expect(JSON.stringify(manifest)).not.to.match(/run|send|load|detail|answer"|available/);
  });

  it('takes an app that declares nothing', () => {
    expect(manifestProblems(defineApp({}).manifest)).to.deep.equal([]);
  });
});
