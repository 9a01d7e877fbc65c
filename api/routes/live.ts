/** The live stream's HTTP side: tickets for browsers, the same messages without a socket, and a word to plain GETs. */
import { fault } from '../../shared/catalogue/errors.ts';
import { answer, closed, nullable, Type } from '../../shared/platform/core/schema.ts';
import { compile } from '../../shared/platform/core/validate.ts';
import { read, write, type Endpoint } from '../endpoint.ts';
import { changesQuery } from '../live/changes.ts';

const live = read({
  path: '/live',
  name: 'live.open',
  summary: 'The live stream; open it as a WebSocket',
  tag: 'Live',
  query: closed({
    after: Type.Optional(Type.String({ description: 'Resume after this offset.' })),
    types: Type.Optional(Type.String({ description: 'Only these types, comma-separated.' })),
    inboxes: Type.Optional(Type.String({ description: 'Only these inboxes, comma-separated.' })),
    ticket: Type.Optional(Type.String({ description: 'A ticket of POST /live/tickets instead of a token.' })),
  }),
  responses: { 101: null },
  example: {},
  handle: () => Promise.reject(fault('upgrade_required', undefined, { headers: { upgrade: 'websocket', connection: 'upgrade' } })),
});

const noBody = closed({});

const ticket = write({
  path: '/live/tickets',
  name: 'live.ticket',
  summary: 'A ticket that opens the live stream once, within 30 seconds',
  tag: 'Live',
  body: noBody,
  bodyOptional: true,
  once: false,
  responses: { 201: answer({ ticket: Type.String(), expiresAt: Type.Integer() }) },
  example: { body: {} },
  audit: null,
  check: compile(noBody),
  handle: async ({ live: { issueTicket }, caller, session }) => ({ status: 201, body: await issueTicket(caller.env, session) }),
});

const changes = read({
  path: '/changes',
  name: 'live.changes',
  summary: 'The live stream’s messages over HTTP, waiting for them if asked to',
  tag: 'Live',
  query: changesQuery,
  responses: {
    200: answer({
      changes: Type.Array(Type.Object({ type: Type.String(), offset: Type.String(), prev: nullable(Type.String()), at: Type.Integer() })),
      cursor: Type.String({ description: 'The after of the next call.' }),
      reset: nullable(Type.String({ description: 'Why everything has to be fetched anew: gone, epoch or role.' })),
    }),
  },
  example: { query: { wait: 0, limit: 50 } },
  handle: async ({ live: { changes: readChanges }, caller, query, signal }) => ({ status: 200, body: await readChanges(caller, query, signal()) }),
});

export const liveEndpoints: readonly Endpoint[] = [live, ticket, changes];
