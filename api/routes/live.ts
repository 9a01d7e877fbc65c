/** The endpoints of the live stream: tickets for browsers, `GET /changes`, and the response to a GET without an upgrade. */
import { fault } from '../../shared/catalogue/errors.ts';
import { nullable, responseObject, strictObject, Type } from '../../shared/platform/json/schema.ts';
import { compileCheck } from '../../shared/platform/json/validate.ts';
import { readEndpoint, writeEndpoint, type Endpoint } from '../endpoint.ts';
import { changesQuery } from '../live/changes.ts';
import { narrowChanges } from '../live/narrowChanges.ts';

const live = readEndpoint({
  path: '/live',
  name: 'live.open',
  summary: 'The live stream; open it as a WebSocket',
  tag: 'Live',
  query: strictObject({
    after: Type.Optional(Type.String({ description: 'Resume after this offset.' })),
    types: Type.Optional(Type.String({ description: 'Only these types, comma-separated.' })),
    inboxes: Type.Optional(Type.String({ description: 'Only these inboxes, comma-separated.' })),
    agent: Type.Optional(Type.String({ description: 'What this agent reads too, for people with audit: see.' })),
    ticket: Type.Optional(Type.String({ description: 'A ticket of POST /live/tickets instead of a token.' })),
  }),
  responses: { 101: null },
  example: {},
  handle: () =>
    Promise.reject(fault('upgrade_required', undefined, { headers: { upgrade: 'websocket', connection: 'upgrade' } })),
});

const noBody = strictObject({});

const ticket = writeEndpoint({
  path: '/live/tickets',
  name: 'live.ticket',
  summary: 'A ticket that opens the live stream once, within 30 seconds',
  tag: 'Live',
  body: noBody,
  bodyOptional: true,
  idempotencyKey: 'refused',
  responses: {
    201: responseObject({
      ticket: Type.String({ description: 'Send it as ?ticket= when opening the stream.' }),
      expiresAt: Type.Integer({ description: 'Until when (milliseconds since 1970 UTC).' }),
    }),
  },
  example: { body: {} },
  audit: null,
  check: compileCheck(noBody),
  handle: async ({ live: { issueTicket }, caller, session }) => ({
    status: 201,
    body: await issueTicket(caller.env, session),
  }),
});

const changes = readEndpoint({
  path: '/changes',
  name: 'live.changes',
  summary: 'The live stream’s messages over HTTP, waiting for them if asked to',
  tag: 'Live',
  query: changesQuery,
  responses: {
    200: responseObject({
      changes: Type.Array(
        Type.Object({
          type: Type.String({ description: 'What it is about.' }),
          offset: Type.String({ description: 'Its place, to resume after.' }),
          prev: nullable(Type.String({ description: 'The place of the message before it.' })),
          at: Type.Integer({ description: 'at (milliseconds since 1970 UTC)' }),
        }),
        { description: 'The messages, as the stream has them.' },
      ),
      cursor: Type.String({ description: 'The after of the next call.' }),
      more: Type.Boolean({ description: 'It ended at its limit; there may be more.' }),
      reset: nullable(Type.String({ description: 'Why everything has to be read anew: gone, epoch or role.' })),
    }),
  },
  example: { query: { wait: 0, limit: 50 } },
  handle: async ({ live: { changes: readChanges }, caller, session, query, ofTool, signal }) => ({
    status: 200,
    body: await readChanges({ caller, session }, narrowChanges(caller, query, ofTool), signal()),
  }),
});

export const liveEndpoints: readonly Endpoint[] = [live, ticket, changes];
