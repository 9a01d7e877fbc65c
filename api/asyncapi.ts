/** The live stream and the app link as an AsyncAPI 3.0 document, at /asyncapi.json. Made from the schemas that check messages. */
import { apiVersion } from '../shared/catalogue/release.ts';
import { Type, type TSchema } from '../shared/platform/json/schema.ts';
import type { Json } from './documents/examples.ts';
import {
  answerSchema,
  appCalls,
  appNotifications,
  serviceCalls,
  serviceNotifications,
} from './documents/linkMessages.ts';
import { liveMessages, liveRequests, type MessageRow } from './documents/liveMessages.ts';
import { componentsFor, shortenSchema } from './documents/namedSchemas.ts';

interface MethodRow {
  readonly summary: string;
  readonly params: TSchema;
  readonly example: Json;
}

const request = (method: string, { summary, params, example }: MethodRow, isCall: boolean): MessageRow => ({
  summary,
  schema: Type.Object({
    jsonrpc: Type.Literal('2.0'),
    ...(isCall ? { id: Type.Union([Type.Integer(), Type.String()], { description: 'The answer has the same.' }) } : {}),
    method: Type.Literal(method),
    params,
  }),
  example: { jsonrpc: '2.0', ...(isCall ? { id: 1 } : {}), method, params: example },
});

const requests = (rows: Readonly<Record<string, MethodRow>>, isCall: boolean): [string, MessageRow][] =>
  Object.entries(rows).map(([method, row]) => [method, request(method, row, isCall)]);

const answer: MessageRow = {
  summary: 'The answer to a call.',
  schema: answerSchema,
  example: { jsonrpc: '2.0', id: 1, result: { message: 'Sent.' } },
};

interface Channel {
  readonly address: string;
  readonly description: string;
  readonly query: Json;
  readonly sent: readonly (readonly [string, MessageRow])[];
  readonly received: readonly (readonly [string, MessageRow])[];
}

const text = (description: string): Json => ({ type: 'string', description });

const channels: Readonly<Record<string, Channel>> = {
  live: {
    address: '/live',
    description:
      'The live stream of an agent or a person. The token is in authorization, in the subprotocols console.v1 and bearer.<token>, or a ticket in the query.',
    query: {
      after: text('Resume after this offset.'),
      types: text('Only these types, comma-separated.'),
      inboxes: text('Only these inboxes, comma-separated.'),
      agent: text('What this agent reads too; for people with audit: see.'),
      ticket: text('A ticket of POST /live/tickets.'),
    },
    sent: Object.entries(liveMessages),
    received: Object.entries(liveRequests),
  },
  app: {
    address: '/app',
    description:
      'The link of a customer’s app, with an app key and the subprotocol console-app.v1: JSON-RPC 2.0 in text frames, both ways. app.register comes first.',
    query: {},
    sent: [...requests(serviceCalls, true), ...requests(serviceNotifications, false), ['answer', answer]],
    received: [...requests(appCalls, true), ...requests(appNotifications, false), ['answer', answer]],
  },
};

const keyOf = (channel: string, direction: string, name: string): string => `${channel}.${direction}.${name}`;

/** Returns the document of a service at `publicUrl`. */
export const buildAsyncApiDocument = (publicUrl: string): Json => {
  const { protocol, host } = new URL(publicUrl);
  const messages: Record<string, Json> = {};
  const built: Record<string, Json> = {};
  const operations: Record<string, Json> = {};
  for (const [channel, { address, description, query, sent, received }] of Object.entries(channels)) {
    const own: Record<string, Json> = {};
    for (const [direction, rows] of [
      ['sent', sent],
      ['received', received],
    ] as const) {
      for (const [name, { summary, schema, example }] of rows) {
        const key = keyOf(channel, direction, name);
        messages[key] = {
          name,
          title: name,
          summary,
          contentType: 'application/json',
          payload: shortenSchema(schema),
          examples: [{ payload: example }],
        };
        own[key] = { $ref: `#/components/messages/${key}` };
      }
      operations[`${channel}.${direction}`] = {
        action: direction === 'sent' ? 'send' : 'receive',
        channel: { $ref: `#/channels/${channel}` },
        description: direction === 'sent' ? 'What the service sends.' : 'What the service takes.',
        messages: rows.map(([name]) => ({
          $ref: `#/channels/${channel}/messages/${keyOf(channel, direction, name)}`,
        })),
      };
    }
    built[channel] = {
      address,
      description,
      messages: own,
      bindings: {
        ws: {
          method: 'GET',
          ...(Object.keys(query).length === 0 ? {} : { query: { type: 'object', properties: query } }),
        },
      },
    };
  }
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Console API: streams',
      version: apiVersion,
      description:
        'What goes over the two WebSockets of an environment. Times are milliseconds since 1970 UTC. Clients ignore members and messages that they don’t know: later versions add.',
      contact: { name: 'Whoever runs this server' },
      license: { name: 'MIT' },
      tags: [
        { name: 'live', description: 'The live stream.' },
        { name: 'app', description: 'The link of the app.' },
      ],
    },
    defaultContentType: 'application/json',
    servers: {
      environment: {
        host,
        protocol: protocol === 'https:' ? 'wss' : 'ws',
        pathname: '/api/env/{environment}',
        description: 'An environment of this server.',
        variables: { environment: { default: 'demo', description: 'The environment that the token is for.' } },
        security: [{ $ref: '#/components/securitySchemes/bearer' }],
      },
    },
    channels: built,
    operations,
    components: {
      messages,
      schemas: componentsFor(messages),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'A token.' } },
    },
  };
};
