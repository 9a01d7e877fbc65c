/** `/asyncapi.json` describes what goes over the live stream and the app link: every message of a scenario fits it. */
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { connectApp, type FakeApp } from '../support/app.ts';
import type { Client } from '../support/http.ts';
import { openLive, type Recorder } from '../support/live.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

type Schema = Readonly<Record<string, unknown>>;
type Frame = Readonly<Record<string, unknown>>;

interface Document {
  readonly asyncapi: string;
  readonly components: {
    readonly messages: Readonly<
      Record<string, { readonly payload: Schema; readonly examples: readonly { readonly payload: unknown }[] }>
    >;
    readonly schemas: Schema;
  };
}

const manifest = {
  ...testManifest,
  inboxes: testManifest.inboxes.map((inbox) =>
    inbox.name === 'mail' ? { ...inbox, triage: { rules: [], app: true } } : inbox,
  ),
  resources: [...testManifest.resources, { name: 'payment', source: 'app', relations: [{ name: 'refunds' }] }],
  actions: [
    { name: 'upgrade', label: 'Upgrade', input: { type: 'object' } },
    { name: 'pay', label: 'Pay', resource: 'customer', input: { type: 'object' }, background: true },
    { name: 'ask', label: 'Ask', input: { type: 'object' }, approval: true },
  ],
  pages: [{ name: 'usage', label: 'Usage', blocks: [{ type: 'table', title: 'Usage', source: 'app' }] }],
  flags: [{ key: 'dark', kind: 'boolean', default: false }],
};

describe('the AsyncAPI document', () => {
  let world: World;
  let document: Document;
  let admin: Client;
  let ana: Client;
  let app: FakeApp;
  let live: Recorder;
  /** `<channel>.<direction>` and frame, in the order in which they went. */
  const frames: { readonly way: string; readonly frame: Frame }[] = [];
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const inDocument = (schema: Schema): Schema =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"doc#/components')) as Schema;

  /** The name of the message that a frame is. */
  const nameOf = (way: string, { type, method }: Frame): string =>
    `${way}.${String(way.startsWith('live') ? type : (method ?? 'answer'))}`;
  const seen = (): Set<string> => new Set(frames.map(({ way, frame }) => nameOf(way, frame)));

  const connect = async (): Promise<FakeApp> => {
    const payments = { records: [{ id: 'p1', title: 'A payment', resource: 'customer' }], cursor: null };
    const made = await connectApp(await world.appKey(), {
      manifest,
      register: false,
      handlers: {
        'action.run': ({ run }: { readonly run: string }) => {
          made.notify('run.progress', { run, progress: 0.5, message: 'Half.' });
          return { message: 'Done.', blocks: [{ type: 'text', text: 'x' }] };
        },
        'action.available': () => ({ available: [] }),
        'records.search': () => payments,
        'records.list': () => payments,
        'records.get': () => payments,
        'records.related': () => payments,
        'page.block': () => ({ block: { type: 'text', text: 'x' } }),
        'item.blocks': () => ({ blocks: [{ type: 'text', text: 'x' }] }),
        'record.blocks': () => ({ blocks: [{ type: 'nosuch' }] }),
        'triage.answer': () => ({ answers: { spam: 'no' } }),
        'reply.send': () => ({}),
      },
    });
    made.socket.on('message', (data) => {
      frames.push({ way: 'app.sent', frame: JSON.parse((data as Buffer).toString()) as Frame });
    });
    const send = made.socket.send.bind(made.socket);
    made.socket.send = ((text: string) => {
      frames.push({ way: 'app.received', frame: JSON.parse(text) as Frame });
      send(text);
    }) as typeof made.socket.send;
    await made.request('app.register', { manifest, instance: made.instance, startedAt: Date.now(), sdk: 'test/1.0.0' });
    return made;
  };

  before(async () => {
    world = await newWorld({ manifest });
    document = (await (await fetch(new URL('/asyncapi.json', world.base))).json()) as Document;
    ajv.addSchema({ $id: 'doc', components: { schemas: document.components.schemas } });
    admin = await world.agent('admin');
    ana = await world.person('admin', 'Ana');
    live = await openLive(ana, `?agent=${admin.id}`);
    app = await connect();
  });
  after(async () => {
    await live.close();
    await app.close();
    await world.close();
  });

  it('has an example of each message, which fits its schema', () => {
    expect(document.asyncapi).to.equal('3.0.0');
    for (const [name, { payload, examples }] of Object.entries(document.components.messages)) {
      expect(examples, name).not.to.have.length(0);
      for (const example of examples)
        expect(ajv.validate(inDocument(payload), example.payload), `${name}: ${ajv.errorsText()}`).to.equal(true);
    }
  });

  it('fits what flows in a scenario', async () => {
    await app.request('records.put', { resource: 'customer', records: [{ id: 'c1', title: 'Customer' }] });
    await app.request('records.delete', { resource: 'customer', ids: ['nobody'] });
    await app.request('flags.list', {});
    await app.request('run.answers', { answers: [{ run: 'run_x', result: null }] });
    const { item } = (await app.request('items.report', { inbox: 'mail', title: 'Hello' })) as { item: string };
    const paths = [
      `/items/${item}`,
      '/resources/payment?q=x',
      '/resources/payment/list',
      '/resources/payment/p1',
      '/resources/payment/p1/related/refunds',
      '/pages/usage',
    ];
    for (const path of paths) await admin.get(path);
    await admin.post('/available', { refs: [{ resource: 'customer', id: 'c1' }] });
    await admin.post('/actions', { action: 'upgrade', input: {} });
    await admin.post('/actions', { action: 'pay', record: 'c1', input: {} });
    await admin.post('/actions', { action: 'ask', input: {} });
    await admin.post(`/items/${item}/claim`);
    await admin.post(`/items/${item}/reply`, { subject: 'Hello', text: 'Hello.' });
    await admin.post('/flags/dark', { change: { value: true } });
    await admin.post('/bulk', { ids: [item], operation: { type: 'tags', add: ['x'], remove: [] } });
    await ana.post('/me/views', { name: 'Mail', inbox: 'mail', query: {} });
    for (const text of ['{"type":"ping"}', '{"type":"narrow","types":null}', 'x']) {
      live.socket.send(text);
      if (text !== 'x') frames.push({ way: 'live.received', frame: JSON.parse(text) as Frame });
    }
    await world.settled();
    const wanted = Object.keys(document.components.messages).filter((name) => name !== 'live.sent.reset');
    const all = (): Set<string> =>
      new Set([...seen(), ...live.messages.map((frame: Frame) => nameOf('live.sent', frame))]);
    const missing = (): string[] => wanted.filter((name) => !all().has(name));
    await until('every message', () => missing().length === 0).catch(() => undefined);
    expect(missing(), 'add what makes the service or the app send them').to.deep.equal([]);
    for (const { way, frame } of [...frames, ...live.messages.map((frame: Frame) => ({ way: 'live.sent', frame }))]) {
      const name = nameOf(way, frame);
      const known = document.components.messages[name];
      expect(known, `${name} is not in the document: add it to api/documents`).not.to.equal(undefined);
      if (known !== undefined)
        expect(
          ajv.validate(inDocument(known.payload), frame),
          `${name}: ${ajv.errorsText()} in ${JSON.stringify(frame).slice(0, 600)}`,
        ).to.equal(true);
    }
  });
});
