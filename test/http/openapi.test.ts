/** `/openapi.json` is complete and sound, its examples can be called as they stand, and responses match it. */
import { readFileSync } from 'node:fs';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { connectApp, type FakeApp } from '../support/app.ts';
import { readDocuments, type Documents, type Operation } from '../support/documented.ts';
import { ExampleRecorder, Sampler, type Schema } from '../support/examples.ts';
import type { Client, Reply } from '../support/http.ts';
import { sdkPackage } from '../support/sdkPackage.ts';
import { newWorld, type World } from '../support/world.ts';

const exampleItem = 'itm_01jd0000000000000000000000';
const exampleBulk = 'blk_01jd0000000000000000000000';
const exampleRun = 'run_01jd0000000000000000000000';
const exampleApproval = 'apr_01jd0000000000000000000000';
const exampleQuestion = 'apr_01jd0000000000000000000001';
/** The examples are of the demo, whose app declares this. */
const manifest: unknown = JSON.parse(
  readFileSync(new URL('../../shared/tools/demo/manifest.json', import.meta.url), 'utf8'),
);

/** Every object inside a value, with the way to it. */
const walk = function* (
  value: unknown,
  path = '#',
): Generator<{ path: string; value: Readonly<Record<string, unknown>> }> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield { path, value: value as Record<string, unknown> };
  for (const [key, inner] of Object.entries(value))
    yield* walk(inner, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
};

/** The request that the document's examples make of an operation. */
const exampleOf = ({ path, parameters }: Operation): string => {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(
      String(parameters.find((parameter) => parameter.in === 'path' && parameter.name === name)?.example),
    ),
  );
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.example !== undefined);
  return `${filled}${query.length === 0 ? '' : `?${query.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`).join('&')}`}`;
};

describe('the OpenAPI document', () => {
  let world: World;
  let documents: Documents;
  let admin: Client;
  let app: Client;
  let boss: Client;
  let guest: Client;
  /** The requester of the example's approval. */
  let asker: Client;
  let connected: FakeApp;
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  let sampler: Sampler;
  /** Takes the examples that are missing; only while they are written anew. */
  let recorder: ExampleRecorder | null = null;

  before(async () => {
    // /sdk.tgz is named by /llms.txt.
    await sdkPackage();
    world = await newWorld({ manifest });
    documents = await readDocuments(world.base);
    const { schemas } = documents.raw.components;
    sampler = new Sampler(schemas);
    if (process.env['UPDATE_DOCS'] === '1') recorder = new ExampleRecorder(schemas);
    ajv.addSchema({ $id: 'openapi', components: { schemas } });
    admin = documents.of(await world.agent('admin'));
    app = documents.of(await world.appKey());
    boss = documents.of(await world.person('admin', 'Boss', { fresh: true, password: 'another long one' }));
    guest = documents.of(
      await world.person('viewer', 'Ana Lind', { email: 'ana@example.com', password: 'correct horse battery' }),
    );
    const settings: readonly [string, string, string][] = [
      ['agents', 'agt', (await world.agent('viewer')).id],
      ['roles', 'rol', await world.role('An example', [])],
      ['people', 'per', (await world.person('viewer', 'Bo Lund')).id],
      ['app_keys', 'key', (await world.appKey()).id],
    ];
    for (const [table, prefix, id] of settings)
      await world.sql(`update ${table} set id = $1 where id = $2`, [`${prefix}_01jd0000000000000000000000`, id]);
    asker = documents.of(await world.agent('admin', { mode: 'supervised' }));
    connected = await connectApp(app, {
      manifest,
      handlers: {
        'action.run': () => ({
          message: 'Sent.',
          blocks: [
            { type: 'text', text: 'To Ana.' },
            { type: 'stat', title: 'Copies', value: 1 },
          ],
        }),
      },
    });
    for (const end of ['0', '1'])
      await world.sql(
        `insert into loosenings (id, env, type, name, member, value_from, value_to, since, status)
         select $1, env, type, name, 'approval', 'true', 'false', 0, 'waiting' from definition_rules limit 1`,
        [`loo_01jd000000000000000000000${end}`],
      );
    await world.records('customer', [{ id: 'cus_1001', title: 'Lindgren AB' }]);
    await world.records('order', [
      {
        id: 'ord_1001',
        title: 'Order 1001',
        fields: { status: 'paid', email: 'ana@example.com', customer: 'cus_1001' },
      },
    ]);
    const asked = (
      await asker.post('/actions', {
        action: 'resend_receipt',
        record: 'ord_1001',
        input: { email: 'ana@example.com' },
      })
    ).body as { approval: string; run: string };
    await world.sql('update runs set id = $1, approval = $2 where id = $3', [exampleRun, exampleApproval, asked.run]);
    await world.sql('update approvals set id = $1, run = $2 where id = $3', [
      exampleApproval,
      exampleRun,
      asked.approval,
    ]);
    const question = { text: 'Is the outage over?', options: ['Yes', 'No'] };
    const { approval: toAnswer } = (await asker.post('/questions', question)).body as { approval: string };
    await world.sql('update approvals set id = $1 where id = $2', [exampleQuestion, toAnswer]);
    const { item } = (
      await admin.post('/items', { inbox: 'support', title: 'The example', data: { email: 'ana@example.com' } })
    ).body;
    const { bulk } = (
      await admin.post('/bulk', { ids: [item.id], operation: { type: 'tags', add: ['x'], remove: [] } })
    ).body;
    await world.settled();
    const columns = async (table: string): Promise<string> =>
      (
        await world.sql<{ name: string }>(
          'select column_name as name from information_schema.columns where table_name = $1 and column_name not in ($2, $3)',
          [table, 'id', 'bulk'],
        )
      )
        .map(({ name }) => name)
        .join(', ');
    const copy = async (table: string, key: string, from: string, to: string): Promise<void> => {
      const rest = await columns(table);
      await world.sql(`insert into ${table} (${key}, ${rest}) select $1, ${rest} from ${table} where ${key} = $2`, [
        to,
        from,
      ]);
    };
    await copy('items', 'id', item.id, exampleItem);
    await copy('bulks', 'id', bulk.id, exampleBulk);
    for (const table of ['bulk_chunks', 'bulk_results']) await copy(table, 'bulk', bulk.id, exampleBulk);
    await world.sql(
      `insert into staged_jobs (id, env, name, payload, subject, tries, last_error, created_at)
       select 'job_01jd0000000000000000000000', env, 'triageItem', jsonb_build_object('item', id), id, 1, 'The app gave no answer to triage.', created_at
       from items where id = $1`,
      [exampleItem],
    );
  });
  after(async () => {
    recorder?.write(documents.operations);
    await connected.close();
    await world.close();
  });

  const see = ({ id, answers }: Operation, { status, body }: Reply): void => {
    const answer = answers.find((known) => known.status === String(status));
    if (answer !== undefined) recorder?.see(id, status, answer.schema, body);
  };

  describe('is sound', () => {
    it('names its version and a unique id for each operation', () => {
      expect(documents.raw.openapi).to.equal('3.1.0');
      expect(documents.raw.info.version).to.match(/^\d+\.\d+\.\d+$/);
      const ids = documents.operations.map(({ id }) => id);
      expect(new Set(ids).size).to.equal(ids.length);
      expect(ids.length).to.be.above(20);
      for (const id of ids) expect(id, 'clients are generated from it').to.match(/^[a-z]+(_[a-z]+)*$/);
    });

    it('has every reference that it makes', () => {
      for (const { path, value } of walk(documents.raw)) {
        const ref = value['$ref'];
        if (typeof ref !== 'string') continue;
        const found = ref
          .slice(2)
          .split('/')
          .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], documents.raw);
        expect(found, `${path}: ${ref}`).to.be.an('object');
      }
    });

    it('declares every parameter of a path', () => {
      for (const { path, parameters, id } of documents.operations) {
        const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
        expect(
          parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
          id,
        ).to.deep.equal(named);
      }
    });

    it('describes every query parameter', () => {
      for (const { id, parameters } of documents.operations)
        for (const { name, in: place, ...parameter } of parameters)
          if (place === 'query') expect(parameter, `${id} ${name}`).to.have.property('description');
    });

    it('refuses unknown members in every body', () => {
      for (const { id, body } of documents.operations)
        // What a message of MCP may have beside its members is that protocol’s.
        if (body !== null && body.schema['anyOf'] === undefined && id !== 'send_mcp_message')
          expect(body.schema['additionalProperties'], id).to.equal(false);
    });

    it('documents for each operation one answer that is well and those that refuse', () => {
      for (const { id, statuses } of documents.operations) {
        expect(
          statuses.some((status) => status < 400),
          id,
        ).to.equal(true);
        expect(statuses, id).to.include.members([400, 401, 403, 404, 429, 500, 503]);
      }
    });
  });

  describe('has examples', () => {
    it('for each body and parameter, which are valid by their own schemas', () => {
      for (const { id, body, parameters } of documents.operations) {
        if (body !== null) expect(ajv.validate(body.schema, body.example), `${id}: ${ajv.errorsText()}`).to.equal(true);
        for (const { name, in: place, schema, example } of parameters) {
          if (place === 'path') expect(example, `${id} ${name}`).to.be.a('string');
          if (place === 'query' && example !== undefined)
            expect(ajv.validate(schema, example), `${id} ${name}: ${ajv.errorsText()}`).to.equal(true);
        }
      }
    });

    const callerOf = ({ id, path }: Operation): Client =>
      id === 'put_records' || id === 'open_app_link'
        ? app
        : path.startsWith('/settings/') || path.startsWith('/me')
          ? boss
          : path.startsWith('/sign-')
            ? guest
            : /\/(approve|reject|decide|answer)$/.test(path)
              ? boss
              : path === '/approvals/{id}/cancel' || path === '/runs/{id}/cancel'
                ? asker
                : admin;

    /** The run and its approval as each example of theirs needs them. */
    const asBefore = async ({ path }: Operation): Promise<void> => {
      if (!path.startsWith('/runs/') && !path.startsWith('/approvals/')) return;
      await world.settled();
      await world.sql('update runs set status = $1, handed_at = null, finished_at = null where id = $2', [
        path.endsWith('/retry') ? 'failed' : 'pending',
        exampleRun,
      ]);
      await world.sql(`update approvals set status = 'pending', decided_by = null, decided_at = null where id = $1`, [
        exampleApproval,
      ]);
    };

    it('that can be called as they stand, and answer as documented', async () => {
      // Cancelling a finished bulk and a plain GET of a stream are refused, as they should be; no session and no view has a given id.
      const exceptions: Readonly<Record<string, number>> = {
        open_stream: 426,
        open_app_link: 426,
        cancel_bulk: 409,
        end_my_session: 404,
        update_view: 404,
        delete_view: 404,
        // There is no provider here.
        sign_in_by_provider: 404,
        // Nobody has such a link.
        accept_invitation: 401,
        confirm_password_reset: 401,
      };
      for (const operation of documents.operations) {
        const path = exampleOf(operation);
        // Some examples close the item, which others then may not do anything with.
        await admin.post(`/items/${exampleItem}/state`, { state: 'open' });
        await asBefore(operation);
        const reply: Reply = await callerOf(operation).call(operation.method, path, operation.body?.example);
        const wanted = exceptions[operation.id];
        if (wanted === undefined) expect(reply.status, `${operation.method} ${path} ${reply.text}`).to.be.below(300);
        else expect(reply.status, `${operation.method} ${path} ${reply.text}`).to.equal(wanted);
        see(operation, reply);
      }
      const seen = new Set([...documents.seen].map((key) => key.split(' ')[0]));
      expect(documents.operations.map(({ id }) => id).filter((id) => !seen.has(id))).to.deep.equal([]);
    });
  });

  describe('shows of each answer', () => {
    it('that answer with each answer', async () => {
      // The calls above got one status each: a supervised agent is answered pending, a second report of a key is no new item.
      const again = { inbox: 'support', title: 'The example', key: 'example', data: { email: 'ana@example.com' } };
      const calls: readonly (readonly [Client, string, object])[] = [
        [admin, '/items', again],
        [admin, '/items', again],
        [admin, '/bulk', { ids: [exampleItem], operation: { type: 'state', state: 'open' }, dryRun: true }],
        [admin, `/items/${exampleItem}/reply`, { dryRun: true }],
        [boss, '/settings/jobs', { change: 'retry', dryRun: true }],
        [boss, '/settings/erasures', { record: { resource: 'customer', id: 'nobody' }, dryRun: true }],
        ...documents.operations
          .filter(
            ({ method, path, answers }) =>
              method === 'POST' && answers.some(({ status }) => status === '202') && path !== '/mcp',
          )
          .map((operation) => [asker, exampleOf(operation), operation.body?.example as object] as const),
      ];
      for (const [client, path, body] of calls) {
        const reply = await client.post(path, body);
        const operation = documents.operations.find(
          (known) => known.method === 'POST' && new RegExp(`^${known.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
        );
        if (operation !== undefined) see(operation, reply);
      }
    });

    const inDocument = (schema: Schema): Schema =>
      JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components')) as Schema;

    it('an example, by itself or made of those of its components, which fits its schema', () => {
      const missing: string[] = [];
      for (const { id, answers } of documents.operations)
        for (const { status, schema, example } of answers) {
          const shown = example ?? sampler.sample(schema);
          if (shown === undefined) missing.push(`${id} ${status}`);
          else expect(ajv.validate(inDocument(schema), shown), `${id} ${status}: ${ajv.errorsText()}`).to.equal(true);
        }
      expect(
        missing,
        'run UPDATE_DOCS=1 npm test -- test/http/openapi.test.ts; an answer that it never gets is a call to add to "each answer"',
      ).to.deep.equal([]);
    });

    it('the members that the schemas of components have', () => {
      for (const [name, schema] of Object.entries(documents.raw.components.schemas)) {
        const { examples = [] } = schema as { readonly examples?: readonly unknown[] };
        for (const example of examples)
          expect(ajv.validate(inDocument(schema), example), `${name}: ${ajv.errorsText()}`).to.equal(true);
      }
    });
  });

  describe('is complete', () => {
    it('has the operation of each address and method that answers something else than 404 and 405', async () => {
      const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
      for (const operation of documents.operations) {
        const path = exampleOf(operation).split('?', 1)[0] ?? '';
        // `records` may be the id of a record too.
        const fits = (template: string): boolean => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path);
        const documented = [
          ...new Set(documents.operations.filter((other) => fits(other.path)).map(({ method }) => method)),
        ];
        for (const method of methods.filter((name) => !documented.includes(name))) {
          const reply = await admin.call(method, path);
          expect(
            [
              reply.status,
              reply.headers
                .get('allow')
                ?.split(', ')
                .filter((name) => name !== 'HEAD')
                .sort(),
            ],
            `${method} ${path}`,
          ).to.deep.equal([405, [...documented].sort()]);
        }
      }
    });

    it('is shown by /docs, and named with all documents by /llms.txt', async () => {
      const text = async (path: string): Promise<string> => {
        const reply = await fetch(new URL(path, world.base));
        expect([reply.status, reply.headers.get('content-type')?.split(';')[0]], path).to.deep.equal([
          200,
          path === '/docs' ? 'text/html' : path.endsWith('.md') ? 'text/markdown' : 'text/plain',
        ]);
        return reply.text();
      };
      expect(await text('/docs')).to.include('spec-url="openapi.json"');
      const [index, full] = [await text('/llms.txt'), await text('/llms-full.txt')];
      // llmstxt.org: a title, a summary as a quotation, sections of links.
      expect(index).to.match(/^# .+\n\n> .+\n\n[^#]+## .+\n\n- \[/);
      expect(index.length).to.be.below(3_000);
      const links = [...index.matchAll(/^- \[[^\]]+\]\(([^)]+)\): ./gm)].map(([, url = '']) => new URL(url).pathname);
      expect(links).to.include.members(['/openapi.json', '/docs', '/asyncapi.json', '/docs/agents.md']);
      for (const path of links) {
        if (path.endsWith('.md')) expect(full).to.include(await text(path));
        else expect((await fetch(new URL(path, world.base))).status, path).to.equal(200);
      }
    });
  });
});
