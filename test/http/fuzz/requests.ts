/** Requests made from the document: paths, queries, headers and bodies, most of them nearly right, and who sends them. Used by documented.test.ts. */
import fc, { type Arbitrary } from 'fast-check';
import type { Documents, Operation } from '../../support/documented.ts';
import type { ListedTool } from '../../support/tools.ts';
import { createValues, garbage, nasty, type KnownValues, type Schema } from './values.ts';

export interface Known extends KnownValues {
  readonly documents: Documents;
  /** Places in the list of callers: who may do everything, with those of less before it, the app, and who signs out. */
  readonly places: { readonly boss: number; readonly app: number; readonly leaving: number };
  /** Values of parameters of paths by their names. */
  readonly pools: Readonly<Record<string, readonly string[]>>;
  readonly tools: readonly ListedTool[];
}

/** A generated request, and the place of who sends it. */
export interface Made {
  readonly operation: Operation;
  readonly path: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly client: number;
}

/** Returns requests of all operations of the document. */
export const createRequests = (known: Known): Arbitrary<Made> => {
  const { documents, places, ids, pools, tools } = known;
  const { mutated } = createValues(known);

  const asText = (value: unknown): string =>
    typeof value === 'string'
      ? value
      : Array.isArray(value)
        ? value.map(asText).join(',')
        : (JSON.stringify(value) ?? '');
  const encoded = (value: string): string => encodeURIComponent(value.toWellFormed());

  /** Values of a path's parameter: mostly what is there. */
  const poolOf = (path: string, name: string): readonly string[] =>
    (name === 'id' ? (pools[path.split('/')[2] ?? ''] ?? pools[path.split('/')[1] ?? '']) : pools[name]) ?? ids;
  const pathOf = ({ path }: Operation): Arbitrary<string> => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const wrong = nasty.filter((value) => value !== '' && value !== '..');
    const values = names.map((name) =>
      fc.oneof(
        { arbitrary: fc.constantFrom(...poolOf(path, name)), weight: 7 },
        { arbitrary: fc.constantFrom(...wrong), weight: 1 },
      ),
    );
    return fc
      .tuple(...values)
      .map((given) =>
        given.reduce((filled, value, i) => filled.replace(`{${names[i] ?? ''}}`, () => encoded(value)), path),
      );
  };

  /** Parameters that contain JSON, which the schema describes only as strings. */
  const json =
    (values: Arbitrary<unknown>): ((schema: Schema) => Arbitrary<unknown>) =>
    (schema) =>
      fc.oneof(
        { arbitrary: values.map((value) => JSON.stringify(value)), weight: 3 },
        { arbitrary: mutated(schema), weight: 1 },
      );
  const operand = fc.oneof(fc.constantFrom<unknown>('x', 'ana@example.com', 3, null, true, ['a', 'b'], [1]), garbage);
  const jsons: Readonly<Record<string, (schema: Schema) => Arbitrary<unknown>>> = {
    filters: json(
      fc.dictionary(
        fc.constantFrom('email', 'seats', 'customer', 'id', 'nosuch'),
        fc.oneof(
          operand,
          fc.dictionary(
            fc.constantFrom('eq', 'ne', 'in', 'nin', 'lt', 'gte', 'contains', 'startsWith', 'exists', 'regex'),
            operand,
            { maxKeys: 2 },
          ),
        ),
        { maxKeys: 2 },
      ),
    ),
    params: json(
      fc.dictionary(
        fc.constantFrom('q', 'q', 'q', 'nosuch'),
        fc.constantFrom<unknown>('c1', 'of mail', 'open', 'https://example.com', ...nasty, 1, null),
        { maxKeys: 1 },
      ),
    ),
  };

  const queryOf = ({ parameters }: Operation): Arbitrary<string> => {
    const known = parameters.filter((parameter) => parameter.in === 'query');
    const pairs = known.map(({ name, schema, required }) => {
      const pair = (jsons[name] ?? ((given: Schema) => mutated(given, name)))(
        name === 'wait' ? { type: 'integer', minimum: 0, maximum: 5 } : schema,
      ).map((value) => `${name}=${encoded(asText(value))}`);
      return fc.option(pair, { freq: required === true ? 9 : 1, nil: '' });
    });
    const stray = fc.option(
      fc.constantFrom('x=1', 'limit=1', '__proto__=1', '&&', '=', 'a', '%', 'search=%00', 'limit=1&limit=2'),
      { freq: 1, nil: '' },
    );
    return fc
      .tuple(fc.tuple(...pairs), fc.nat({ max: 9 }), stray, fc.nat({ max: 1 }))
      .map(([given, turn, more, all]) =>
        [...given.filter((_, place) => all === 1 || known[place]?.required === true), turn === 0 ? more : '']
          .filter((pair) => pair !== '')
          .join('&'),
      );
  };

  const headersOf = ({ method }: Operation): Arbitrary<Record<string, string>> =>
    fc
      .record(
        {
          'if-match': fc.constantFrom('"1"', '"2"', '*', 'x', '"x"'),
          'idempotency-key': fc.oneof(fc.uuid(), fc.constantFrom('same', '', 'x'.repeat(256))),
          'x-request-id': fc.constantFrom('trace', '', 'x'.repeat(200)),
          'accept-encoding': fc.constantFrom('gzip', 'br', 'identity', 'x'),
          'content-type': fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain'),
        },
        { requiredKeys: [] },
      )
      .map(({ 'content-type': type, ...rest }) =>
        method === 'GET' || type === undefined ? rest : { ...rest, 'content-type': type },
      );

  /** Mostly a caller with the right, for records the app's key; only the one made for that signs out. */
  const callers = ({ path }: Operation): Arbitrary<number> => {
    if (path.startsWith('/sign-')) return fc.constant(places.leaving);
    const any = fc.nat({ max: places.boss });
    if (path.endsWith('/records')) return fc.oneof(fc.constant(places.app), any);
    return path.startsWith('/settings/') || /\/(approve|reject)$/.test(path)
      ? fc.oneof({ arbitrary: fc.constant(places.boss), weight: 9 }, { arbitrary: any, weight: 1 })
      : any;
  };

  /** Calls of tools, with arguments made from their own schemas; any other message now and then. */
  const messages = (schema: Schema): Arbitrary<unknown> => {
    const call = fc.constantFrom(...tools).chain(({ name, inputSchema }) => {
      const kind = ['bulk', 'run', 'approval', 'record'].find((each) => name.includes(each)) ?? 'items';
      const there = fc.option(
        fc.constantFrom(...(pools[kind] ?? pools[`${kind}s`] ?? ids)).map((id) => ({ id })),
        { freq: 4, nil: {} },
      );
      return fc
        .tuple(
          mutated(inputSchema),
          Object.hasOwn((inputSchema['properties'] ?? {}) as object, 'id') ? there : fc.constant({}),
        )
        .map(([given, known]) => ({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: {
            name,
            arguments: typeof given === 'object' && !Array.isArray(given) ? { ...given, ...known } : given,
          },
        }));
    });
    const other = fc
      .constantFrom('tools/list', 'initialize', 'ping', 'server/discover', 'notifications/cancelled')
      .map((method) => ({ jsonrpc: '2.0', id: 'a', method, params: { protocolVersion: '2025-11-25' } }));
    return fc.oneof(
      { arbitrary: call, weight: 8 },
      { arbitrary: other, weight: 1 },
      { arbitrary: mutated(schema), weight: 1 },
    );
  };
  const bodyOf = ({ id, body }: Operation): Arbitrary<unknown> =>
    body === null ? fc.constant(undefined) : id === 'send_mcp_message' ? messages(body.schema) : mutated(body.schema);
  return fc.constantFrom(...documents.operations).chain((operation) =>
    fc.record({
      operation: fc.constant(operation),
      path: fc
        .tuple(pathOf(operation), queryOf(operation))
        .map(([path, query]) => (query === '' ? path : `${path}?${query}`)),
      body: bodyOf(operation),
      headers: fc.oneof({ arbitrary: fc.constant({}), weight: 2 }, { arbitrary: headersOf(operation), weight: 1 }),
      client: callers(operation),
    }),
  );
};
