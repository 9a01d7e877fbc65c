/** The endpoint rows as an OpenAPI 3.1 document: the same schemas that validate, with an example for each operation. */
import { errors, type ErrorCode } from '../shared/catalogue/errors.ts';
import type { Endpoint } from './endpoint.ts';
import { sessionCookie } from './http/cookies.ts';

/** Follows semver: changes only add. */
export const apiVersion = '1.0.1';

interface Parameter {
  readonly type?: string;
  readonly description?: string;
}

const pathOf = (path: string): string => `/api/env/{environment}${path.replace(/:([A-Za-z]+)/g, '{$1}')}`;

const errorSchema = {
  type: 'object',
  required: ['error', 'code'],
  properties: {
    error: { type: 'string', description: 'A sentence for a person.' },
    code: { type: 'string', enum: Object.keys(errors) },
    details: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
};

const pathParameters = ({ path, example }: Endpoint): object[] => [
  { $ref: '#/components/parameters/environment' },
  ...[...path.matchAll(/:([A-Za-z]+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    ...(example.params?.[name] === undefined ? {} : { example: example.params[name] }),
  })),
];

/** Returns an example for the schema, in which a list with commas is an array. */
const exampleOf = ({ type }: Parameter, value: unknown): unknown =>
  type === 'array' && typeof value === 'string' ? value.split(',') : value;

const queryParameters = ({ query, example }: Endpoint): object[] => {
  const properties: Readonly<Record<string, Parameter>> = query?.properties ?? {};
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: query?.required?.includes(name) ?? false,
    ...(schema.description === undefined ? {} : { description: schema.description }),
    schema,
    ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
    ...(Object.hasOwn(example.query ?? {}, name) ? { example: exampleOf(schema, example.query?.[name]) } : {}),
  }));
};

const headerParameters = ({ write, acceptsIdempotencyKey: once, conditional }: Endpoint): object[] => [
  ...(write && once ? [{ $ref: '#/components/parameters/idempotencyKey' }] : []),
  ...(conditional ? [{ $ref: '#/components/parameters/ifMatch' }] : []),
];

/** Changes that read a record first, for which the app may be called. */
const ofRecords: ReadonlySet<string> = new Set(['/actions', '/runs/:id/retry', '/approvals/:id/approve']);

/** Returns the error statuses of an endpoint besides those of every endpoint. */
const errorStatuses = (endpoint: Endpoint): number[] => {
  const always: ErrorCode[] = [
    'invalid',
    'unauthorized',
    'forbidden',
    'not_found',
    'method_not_allowed',
    'rate_limited',
    'headers_too_large',
    'internal',
    'unavailable',
  ];
  const writes: ErrorCode[] = ['conflict', 'too_large', 'unsupported_media_type', 'invalid_transition'];
  const reads: ErrorCode[] = ['app_error', 'app_timeout'];
  const asksApp = endpoint.write ? ofRecords.has(endpoint.path) : endpoint.path.startsWith('/resources/');
  const codes = [
    ...always,
    ...(endpoint.write ? writes : ['too_broad' as const]),
    ...(asksApp ? reads : []),
    ...(endpoint.conditional ? ['version_conflict' as const] : []),
    ...(endpoint.path === '/live' || endpoint.path === '/app' ? ['upgrade_required' as const] : []),
  ];
  return [...new Set(codes.map((code) => errors[code].status))].sort((a, b) => a - b);
};

const operationOf = (endpoint: Endpoint): object => ({
  operationId: `${endpoint.method}${endpoint.path.replace(/[/:-]+(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
  summary: endpoint.summary,
  tags: [endpoint.tag],
  ...(endpoint.handlePublic === null ? {} : { security: [] }),
  parameters: [...pathParameters(endpoint), ...queryParameters(endpoint), ...headerParameters(endpoint)],
  ...(endpoint.body === null
    ? {}
    : {
        requestBody: {
          required: !endpoint.bodyOptional,
          content: { 'application/json': { schema: endpoint.body, example: endpoint.example.body ?? {} } },
        },
      }),
  responses: {
    ...Object.fromEntries(
      errorStatuses(endpoint).map((status) => [String(status), { $ref: `#/components/responses/E${String(status)}` }]),
    ),
    ...Object.fromEntries(
      Object.entries(endpoint.responses).map(([status, schema]) => [
        status,
        { description: endpoint.summary, ...(schema === null ? {} : { content: { 'application/json': { schema } } }) },
      ]),
    ),
  },
});

const errorResponses = (): object =>
  Object.fromEntries(
    [...new Set(Object.values(errors).map((row) => row.status))].map((status) => [
      `E${String(status)}`,
      {
        description: Object.entries(errors)
          .filter(([, row]) => row.status === status)
          .map(([code, row]) => `\`${code}\`: ${row.message}`)
          .join(' '),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );

export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

export const buildOpenApiDocument = (endpoints: readonly Endpoint[]): OpenApiDocument & Record<string, unknown> => {
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    const path = (paths[pathOf(endpoint.path)] ??= {});
    path[endpoint.method] = operationOf(endpoint);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Console API',
      version: apiVersion,
      description:
        'Inboxes of items, bulk operations, the audit log and a live stream, for agents and people alike. Times are milliseconds since 1970 UTC.',
    },
    security: [{ bearer: [] }, { cookie: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookie,
          description: 'A person’s session, in browsers; changes need an origin of the same host.',
        },
      },
      schemas: { Error: errorSchema },
      responses: errorResponses(),
      parameters: {
        environment: { name: 'environment', in: 'path', required: true, schema: { type: 'string' }, example: 'demo' },
        idempotencyKey: {
          name: 'idempotency-key',
          in: 'header',
          description:
            'The same key with the same request answers what the first one did, and does nothing again. Kept for 24 hours.',
          schema: { type: 'string', minLength: 1, maxLength: 255 },
        },
        ifMatch: {
          name: 'if-match',
          in: 'header',
          description: 'The version that you saw, in quotes; another one answers 412.',
          schema: { type: 'string' },
        },
      },
    },
  };
};
