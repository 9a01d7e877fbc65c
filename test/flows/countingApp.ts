/** The customer's app of the flow over several processes: counts all calls that it receives. */
import { defineApp, type App } from '../../shared/sdk/index.ts';

export interface CountingApp {
  readonly app: App;
  /** How often each run acted. */
  readonly effects: ReadonlyMap<string, number>;
  /** How often each record was marked. */
  readonly marked: ReadonlyMap<string, number>;
  /** Runs that have been given to it. */
  readonly begun: ReadonlySet<string>;
  readonly greeted: readonly { readonly name: string }[];
  readonly sent: readonly { readonly item: string; readonly text: string }[];
  /** Lets the runs of `crunch` that have begun come to their end. */
  goOn(): void;
}

const named = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } as const;

export const newCountingApp = (): CountingApp => {
  const effects = new Map<string, number>();
  const marked = new Map<string, number>();
  const begun = new Set<string>();
  const greeted: { name: string }[] = [];
  const sent: { item: string; text: string }[] = [];
  let waiting: (() => void)[] = [];
  const count = (counts: Map<string, number>, id: string): void => void counts.set(id, (counts.get(id) ?? 0) + 1);
  const app = defineApp({
    resources: { customer: { source: 'stored' } },
    inboxes: {
      mail: { reply: { via: 'app', send: ({ item, text }) => void sent.push({ item: item.id, text }) } },
      bugs: {},
    },
    triage: { bugs: { answer: () => ({ answers: { severity: 'high' }, tags: ['looked at'] }) } },
    flags: { checkout: { kind: 'boolean', default: false } },
    actions: {
      greet: {
        input: named,
        run: ({ run, input: { name } }) => {
          count(effects, run);
          greeted.push({ name });
          return `Hello ${name}.`;
        },
      },
      refund: {
        approval: true,
        danger: 'high',
        run: ({ run }) => {
          count(effects, run);
        },
      },
      mark: {
        resource: 'customer',
        background: true,
        run: ({ record }) => {
          count(marked, record?.id ?? '');
        },
      },
      crunch: {
        background: true,
        run: async ({ run, progress }) => {
          begun.add(run);
          progress(0.5, 'Half of it');
          await new Promise<void>((resolve) => waiting.push(resolve));
          count(effects, run);
        },
      },
    },
  });
  return {
    app,
    effects,
    marked,
    begun,
    greeted,
    sent,
    goOn: () => {
      for (const end of waiting) end();
      waiting = [];
    },
  };
};
