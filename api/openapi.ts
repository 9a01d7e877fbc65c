/** The endpoint rows as an OpenAPI 3.1 document: the same schemas that validate, with an example of each request and answer. */
import { apiVersion } from '../shared/catalogue/release.ts';
import { isObject } from '../shared/platform/json/jsonLimits.ts';
import type { TSchema } from '../shared/platform/json/schema.ts';
import { type Json, createPool, answerExample } from './documents/examples.ts';
import { componentsFor, shortenSchema } from './documents/namedSchemas.ts';
import { operationTextOf } from './documents/operations/index.ts';
import { shareParameters } from './documents/parameters.ts';
import { refusalComponents, refusalsOf } from './documents/refusals.ts';
import { shareMembers } from './documents/sharedMembers.ts';
import type { Endpoint, FreshRule } from './endpoint.ts';
import { sessionCookie } from './http/cookies.ts';

const tagDescriptions: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'Discovery', description: 'Who you are, and what there is.' },
  { name: 'Items', description: 'What came in.' },
  { name: 'Bulk', description: 'One change of many items.' },
  { name: 'Records', description: 'The app’s records.' },
  { name: 'Actions', description: 'What the app can do, and its runs.' },
  { name: 'Approvals', description: 'What waits for a person.' },
  { name: 'Pages', description: 'What the app shows.' },
  { name: 'Flags', description: 'Feature flags.' },
  { name: 'Live', description: 'See /asyncapi.json.' },
  { name: 'Agents’ tools', description: 'The Model Context Protocol.' },
  { name: 'App', description: 'See /asyncapi.json.' },
  { name: 'Audit', description: 'What was done or refused. What is before archivedBefore may be archived.' },
  { name: 'Sign-in', description: 'How people get a session.' },
  { name: 'Settings', description: 'For managers.' },
];

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'The token of an agent, a person’s session or an app.' },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie,
    description: 'A person’s session in browsers.',
  },
};

/** Descriptions of responses by status; the others say OK. */
const answerDescriptions: Readonly<Record<string, string>> = {
  101: 'Upgraded',
  202: 'Accepted',
  304: 'Unchanged',
};

/** Returns whether a body says anything; one without members may be left out. */
const hasMembers = (body: TSchema): boolean => {
  const { properties }: Json = { ...body };
  return !isObject(properties) || Object.keys(properties).length > 0;
};

/** Returns the sentence that says which requests need a fresh sign-in. */
const freshText = (rule: FreshRule): string => {
  if (rule === 'never') return '';
  if (rule === 'always') return ' Needs a fresh sign-in.';
  if (rule === 'byAction') return ' Needs a fresh sign-in where the action declares `freshSignIn`.';
  return ` Needs a fresh sign-in, unless it changes \`${rule.unlessOnly.join('`, `')}\` alone.`;
};

/** Returns the name that an answer would have among the components: that of what it brings. */
const nameOfAnswer = (part: Json): string =>
  /"#\/components\/schemas\/(\w+)"/.exec(JSON.stringify(part))?.[1] ?? String(part['description']).replace('.', '');

/** Returns the answers of an endpoint that is called well, by status. */
const answersOf = (
  id: string,
  { responses }: Endpoint,
): readonly { readonly status: string; readonly answer: Json }[] =>
  Object.entries(responses).map(([status, schema]) => {
    const content = schema === null ? null : { schema: shortenSchema(schema), ...answerExample(id, status) };
    return {
      status,
      answer: {
        description: answerDescriptions[status] ?? 'OK',
        ...(content === null ? {} : { content: { 'application/json': content } }),
      },
    };
  });

/** Returns the name that a body would have among the components: that of its first member. */
const nameOfBody = (body: Json): string => {
  const name = /"properties":\{"(\w+)"/.exec(JSON.stringify(body))?.[1] ?? 'body';
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
};

/** Returns the body that an endpoint takes; null: none. */
const requestBodyOf = ({ body, bodyOptional, example }: Endpoint): Json | null =>
  body === null || !hasMembers(body)
    ? null
    : {
        ...(bodyOptional ? {} : { required: true }),
        content: { 'application/json': { schema: shortenSchema(body), example: example.body ?? {} } },
      };

/** Returns the rows as operations, and the parameters, bodies and answers that several of them refer to. */
const toOperations = (endpoints: readonly Endpoint[]) => {
  const rows = endpoints.map((endpoint) => {
    const text = operationTextOf(endpoint.name);
    return { endpoint, text, body: requestBodyOf(endpoint), answers: answersOf(text.id, endpoint) };
  });
  const parameters = shareParameters(endpoints);
  const responses = createPool(
    'responses',
    rows.flatMap(({ answers }) => answers.map(({ answer }) => ({ name: nameOfAnswer(answer), value: answer }))),
  );
  const bodies = createPool(
    'requestBodies',
    rows.flatMap(({ body }) => (body === null ? [] : [{ name: nameOfBody(body), value: body }])),
  );
  const operations = rows.map(({ endpoint, text: { id, description }, body, answers }) => {
    const own = parameters.of(endpoint);
    return {
      path: endpoint.path.replace(/:([A-Za-z]+)/g, '{$1}'),
      method: endpoint.method,
      operation: {
        operationId: id,
        summary: endpoint.summary,
        description: description + freshText(endpoint.fresh),
        tags: [endpoint.tag],
        ...(endpoint.handlePublic === null ? {} : { security: [] }),
        ...(own.length === 0 ? {} : { parameters: own }),
        ...(body === null ? {} : { requestBody: bodies.refer(body) }),
        responses: {
          ...Object.fromEntries(answers.map(({ status, answer }) => [status, responses.refer(answer)])),
          ...refusalsOf(endpoint),
        },
      },
    };
  });
  return {
    operations,
    parameters: parameters.components,
    requestBodies: bodies.components,
    responses: responses.components,
  };
};

/** Returns the document of a service at `publicUrl`. */
export const buildOpenApiDocument = (endpoints: readonly Endpoint[], publicUrl: string): Json => {
  const { operations, parameters, requestBodies: bodies, responses: answers } = toOperations(endpoints);
  const rows: Record<string, Record<string, object>> = {};
  for (const { path, method, operation } of operations) (rows[path] ??= {})[method] = operation;
  const own = { paths: rows, requestBodies: bodies, responses: { ...answers, ...refusalComponents(endpoints) } };
  const { document, schemas } = shareMembers(own, componentsFor(own));
  const { paths, requestBodies, responses } = document;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Console API',
      version: apiVersion,
      description:
        'Inboxes, records, actions, approvals, flags and audit, for agents and people. Times are milliseconds since 1970 UTC. What your role can’t see isn’t there.',
      contact: { name: 'Whoever runs this server' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      {
        url: `${publicUrl}/api/env/{environment}`,
        description: 'An environment of this server.',
        variables: { environment: { default: 'demo', description: 'The environment that the token is for.' } },
      },
    ],
    security: [{ bearer: [] }, { cookie: [] }],
    tags: tagDescriptions,
    paths,
    components: {
      securitySchemes,
      schemas,
      responses,
      requestBodies,
      parameters,
    },
  };
};
