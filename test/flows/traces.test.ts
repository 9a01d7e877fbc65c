/** Traces of real processes as a collector gets them: from the request through statements, jobs and the app to the stream. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { freePort } from '../../shared/tools/services/ports.mjs';
import { connectApp, type FakeApp } from '../support/app.ts';
import { openCollector, type CollectedSpan, type Collector } from '../support/collector.ts';
import { clientOf, type Client } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { startProgram, type Program } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  ...testManifest,
  actions: [
    ...testManifest.actions,
    { name: 'greet', label: 'Greet', input: { type: 'object', properties: { name: { type: 'string' } } } },
    { name: 'crunch', label: 'Crunch', background: true },
  ],
};

const secretHeader = 'Bearer of-the-collector-17';

const newTraceparent = (sampled: boolean): { readonly traceId: string; readonly header: string } => {
  const traceId = randomBytes(16).toString('hex');
  return { traceId, header: `00-${traceId}-${randomBytes(8).toString('hex')}-0${sampled ? '1' : '0'}` };
};

describe('traces', () => {
  let world: World;
  let collector: Collector;
  let near: Program;
  let far: Program;
  let worker: Program;
  let app: FakeApp;
  let agent: Client;
  const others: Program[] = [];

  const start = (path: 'api/main.ts' | 'workers/main.ts', more: Readonly<Record<string, string>> = {}) =>
    startProgram(world, path, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${encodeURIComponent(secretHeader)}`,
      ACCESS_LOG: 'on',
      ...more,
    });
  const at = ({ port }: Program, { token, id }: Client): Client =>
    clientOf(`http://127.0.0.1:${port}/api/env/demo`, token, id);

  before(async () => {
    collector = await openCollector();
    world = await newWorld({ server: false, workers: false, manifest });
    [near, far, worker] = await Promise.all([start('api/main.ts'), start('api/main.ts'), start('workers/main.ts')]);
    const admin = await world.agent('admin', { name: 'A very secret name' });
    agent = at(near, admin);
    app = await connectApp(at(near, await world.appKey()), {
      manifest,
      handlers: { 'action.run': () => ({ message: 'Done.' }) },
    });
  });
  after(async () => {
    await app.close();
    await Promise.all([near, far, worker, ...others].map((program) => program.end()));
    await world.close();
    await collector.close();
  });

  /** Resolves with the spans of a trace once all of `names` are among them. */
  const spansOf = (traceId: string, ...names: string[]): Promise<CollectedSpan[]> =>
    until(
      `the trace has ${names.join(', ')}`,
      () => {
        const own = collector.spans.filter((span) => span.traceId === traceId);
        return names.every((name) => own.some((span) => span.name === name)) && own;
      },
      30_000,
    );
  const find = (spans: readonly CollectedSpan[], name: string): CollectedSpan => {
    const found = spans.find((span) => span.name === name);
    if (found === undefined) throw new Error(`There is no span ${name}.`);
    return found;
  };
  const parentOf = (spans: readonly CollectedSpan[], name: string): string | undefined =>
    spans.find(({ spanId }) => spanId === find(spans, name).parentSpanId)?.name;
  /** Of a request with a traceparent of its own. */
  const traced = async (client: Client, path: string, body: object, header?: string) => {
    const given = newTraceparent(true);
    const reply = await client.post(path, body, { headers: { traceparent: header ?? given.header } });
    expect(reply.status, reply.text).to.be.within(200, 299);
    return { ...given, body: reply.body };
  };
  const newItem = async (title = 'Help'): Promise<string> => {
    const { body } = await agent.post('/items', { inbox: 'mail', title });
    return String(body.item.id);
  };

  it('show a change from the request over its statements to the stream', async () => {
    const id = await newItem();
    const { traceId, header } = await traced(agent, `/items/${id}/tags`, { add: ['traced'] });
    const spans = await spansOf(traceId, 'POST /items/:id/tags', 'items.read', 'items.write', 'publish live');
    expect(spans).to.have.length(4);
    const root = find(spans, 'POST /items/:id/tags');
    expect(root.parentSpanId).to.equal(header.split('-')[2]);
    expect(root).to.include({ service: 'console-api', kind: 2, failed: false });
    expect(root.attributes).to.deep.equal({
      'http.request.method': 'POST',
      'http.route': '/items/:id/tags',
      'http.response.status_code': 200,
      'console.environment': 'demo',
      'enduser.id': agent.id,
    });
    for (const name of ['items.read', 'items.write', 'publish live'])
      expect(parentOf(spans, name), name).to.equal('POST /items/:id/tags');
    expect(find(spans, 'items.write').attributes).to.deep.equal({
      'db.system.name': 'postgresql',
      'db.query.summary': 'items.write',
    });
    expect(find(spans, 'publish live')).to.include({ service: 'console-workers', kind: 4 });
    for (const name of ['items.read', 'items.write']) {
      expect(find(spans, name).startMs).to.be.at.least(root.startMs);
      expect(find(spans, name).endMs).to.be.at.most(root.endMs + 1);
    }
  });

  it('show the statements of a read', async () => {
    const given = newTraceparent(true);
    await agent.get('/items?inbox=mail', { headers: { traceparent: given.header } });
    const spans = await spansOf(given.traceId, 'GET /items');
    const statements = spans.filter(({ kind }) => kind === 3);
    expect(statements.length).to.be.at.least(1);
    for (const { name, attributes, parentSpanId } of statements) {
      expect(parentSpanId).to.equal(find(spans, 'GET /items').spanId);
      expect(attributes).to.deep.equal({ 'db.system.name': 'postgresql', 'db.query.summary': name });
    }
  });

  it('show a bulk in the worker that does it, with how long it waited', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => newItem()));
    const { traceId } = await traced(agent, '/bulk', { ids, operation: { type: 'tags', add: ['bulk'] } });
    const spans = await spansOf(traceId, 'POST /bulk', 'wait bulkChunk', 'process bulkChunk', 'items.write');
    for (const name of ['bulk.accept', 'wait bulkChunk', 'process bulkChunk'])
      expect(parentOf(spans, name), name).to.equal('POST /bulk');
    const job = find(spans, 'process bulkChunk');
    expect(job).to.include({ service: 'console-workers', kind: 5, failed: false });
    expect(job.attributes).to.include({
      'messaging.system': 'bullmq',
      'messaging.operation.type': 'process',
      'console.job': 'bulkChunk',
      'console.attempt': 1,
      'console.outcome': 'done',
    });
    expect(parentOf(spans, 'items.write')).to.equal('process bulkChunk');
    const writes = await spansOf(traceId, 'publish live');
    const parents = new Set(
      writes.filter(({ name }) => name === 'publish live').map(({ parentSpanId }) => parentSpanId),
    );
    expect([...parents]).to.include(job.spanId);
  });

  it('show the call of the app, which gets its traceparent: directly, over another API, and by a job', async () => {
    const calls = (): string[] =>
      app.received.filter(({ method }) => method === 'action.run').map(({ params }) => String(params.traceparent));
    for (const client of [agent, at(far, agent)]) {
      const { traceId } = await traced(client, '/actions', { action: 'greet', input: { name: 'Ada' } });
      const spans = await spansOf(traceId, 'POST /actions', 'runs.insert', 'action.run');
      expect(parentOf(spans, 'action.run')).to.equal('POST /actions');
      const { spanId, attributes } = find(spans, 'action.run');
      expect(attributes).to.include({ 'rpc.system': 'jsonrpc', 'rpc.method': 'action.run', 'console.attempt': 1 });
      expect(calls().at(-1)).to.equal(`00-${traceId}-${spanId}-01`);
    }
    const { traceId } = await traced(at(far, agent), '/actions', { action: 'crunch' });
    const spans = await spansOf(traceId, 'POST /actions', 'process actionRun', 'action.run');
    expect(parentOf(spans, 'process actionRun')).to.equal('POST /actions');
    expect(parentOf(spans, 'action.run')).to.equal('process actionRun');
    expect(find(spans, 'process actionRun').service).to.equal('console-workers');
    expect(find(spans, 'action.run').service).to.equal('console-api');
  });

  it('leave out what its client does not have sampled, with all that follows', async () => {
    const left = newTraceparent(false);
    const id = await newItem();
    await agent.post(`/items/${id}/tags`, { add: ['a'] }, { headers: { traceparent: left.header } });
    const { traceId } = await traced(agent, `/items/${id}/tags`, { add: ['b'] });
    await spansOf(traceId, 'POST /items/:id/tags', 'publish live');
    expect(collector.spans.filter((span) => span.traceId === left.traceId)).to.deep.equal([]);
  });

  it('join no trace of somebody who is nobody, and take no header that is not valid', async () => {
    const stranger = newTraceparent(true);
    const path = '/me';
    const asked = await at(near, world.nobody()).get(path, { headers: { traceparent: stranger.header } });
    expect(asked.status).to.equal(401);
    for (const header of ['00-0-0-01', `ff-${stranger.header.slice(3)}`, `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`])
      expect((await agent.get(path, { headers: { traceparent: header } })).status).to.equal(200);
    await until('the requests are there', () => collector.spans.filter(({ name }) => name === 'GET /me').length >= 3);
    const refused = await until('the refusal is there', () =>
      collector.spans.find(({ attributes }) => attributes['http.response.status_code'] === 401),
    );
    expect(refused.parentSpanId).to.equal('');
    expect(collector.spans.filter((span) => span.traceId === stranger.traceId)).to.deep.equal([]);
    for (const span of collector.spans.filter(({ name }) => name === 'GET /me')) expect(span.parentSpanId).to.equal('');
  });

  it('name neither tokens, contents, queries nor people; the access log has the trace', async () => {
    const secret = 'a-secret-word-in-it';
    const given = newTraceparent(true);
    const id = await newItem(secret);
    await agent.get(`/items?inbox=mail&search=${secret}`, { headers: { traceparent: given.header } });
    await agent.post(`/items/${id}/notes`, { text: secret });
    await agent.get(`/${secret}/nothing`);
    await agent.post('/actions', { action: 'greet', input: { name: secret } });
    await agent.post('/mcp', {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_me', arguments: {} },
    });
    await spansOf(given.traceId, 'GET /items');
    await until('the call of a tool is there', () =>
      collector.spans.some(({ attributes }) => attributes['gen_ai.tool.name'] === 'get_me'),
    );
    const { traceId } = await traced(agent, `/items/${id}/tags`, { add: ['last'] });
    await spansOf(traceId, 'POST /items/:id/tags', 'publish live');
    const all = collector.bodies.join('\n');
    for (const word of [secret, agent.token, 'A very secret name', 'Help', id, secretHeader])
      expect(all.includes(word), word).to.equal(false);
    expect(collector.headers.every(({ authorization }) => authorization === secretHeader)).to.equal(true);
    const log = [near, far, worker].map((program) => program.said()).join('');
    expect(log).to.include(`"trace":"${given.traceId}"`);
    expect(log).not.to.include(secretHeader);
  });

  const slowCollectors: readonly [string, () => Promise<{ url: string; close(): Promise<void> }>][] = [
    ['is away', async () => ({ url: `http://127.0.0.1:${String(await freePort())}`, close: () => Promise.resolve() })],
    ['never answers', () => openCollector({ silent: true })],
  ];
  for (const [what, open] of slowCollectors) {
    it(`cost the service nothing while the collector ${what}: it answers, and stops in time`, async () => {
      const other = await open();
      const api = await start('api/main.ts', {
        OTEL_EXPORTER_OTLP_ENDPOINT: other.url,
        DRAIN_MS: '400',
        RATE_LIMIT: '1000000',
        RATE_BURST: '1000000',
      });
      others.push(api);
      const client = at(api, agent);
      // More spans than may wait to be sent.
      for (let round = 0; round < 100; round++) {
        const replies = await Promise.all(Array.from({ length: 50 }, () => client.get('/me')));
        expect(new Set(replies.map(({ status }) => status))).to.deep.equal(new Set([200]));
      }
      if (what === 'is away')
        await until('the log says it', () => api.said().includes('traces could not be sent'), 30_000);
      api.child.kill('SIGTERM');
      await until('it has stopped', () => api.child.exitCode !== null);
      expect(api.child.exitCode).to.equal(0);
      await other.close();
    });
  }
});
