/** The messages of the live stream: their schemas and examples. Used by ../asyncapi.ts. */
import { itemSchema } from '../../shared/app/items/members.ts';
import { approvalSchema } from '../../shared/approvals/schema.ts';
import { bulkSchema } from '../../shared/bulk/schema.ts';
import type { liveTypes } from '../../shared/catalogue/events.ts';
import { flagSchema } from '../../shared/flags/schema.ts';
import { entrySchema } from '../../shared/items/schema.ts';
import {
  actorSchema,
  nullable,
  responseObject,
  Type,
  type TProperties,
  type TSchema,
} from '../../shared/platform/json/schema.ts';
import { runSchema } from '../../shared/runs/schema.ts';
import { narrowSchema, pingSchema } from '../live/requests.ts';
import { inboxCounts } from '../routes/counts.ts';
import { type Json, exampleOf } from './examples.ts';

/** One message of a channel. */
export interface MessageRow {
  readonly summary: string;
  readonly schema: TSchema;
  readonly example: Json;
}

type LiveType = (typeof liveTypes)[number];

const head = { offset: 'AVm6m7PpPZ0b8Lr3qkQe4w', prev: 'AVm6m7PpPZ0b8Lr3qkQe4g', at: 1_795_334_400_000 };
const passing = { ...head, prev: head.offset };

const message = (type: LiveType, members: TProperties): TSchema =>
  responseObject({
    type: Type.Literal(type),
    offset: Type.String({ description: 'Its place on the stream, to resume after; equal or not, nothing else.' }),
    prev: nullable(Type.String({ description: 'The offset of the message before it; its own of a passing one.' })),
    at: Type.Integer({ description: 'When it happened (milliseconds since 1970 UTC).' }),
    ...members,
  });

const change = Type.Union([Type.Literal('created'), Type.Literal('changed')], { description: 'Whether it is new.' });
const inboxes = Type.Record(Type.String(), inboxCounts, { description: 'By inbox.' });
const names = (description: string) => nullable(Type.Array(Type.String(), { description }));
const approvals = responseObject(
  {
    pending: Type.Integer({ description: 'Pending approvals that you see, without questions.' }),
    questions: Type.Integer({ description: 'Questions of agents that wait and that you see.' }),
    decidable: Type.Integer({ description: 'Those of them that you may decide.' }),
  },
  { description: 'What waits for a person.' },
);
const actor = exampleOf('Actor');
const counted = {
  support: {
    total: 40,
    open: 12,
    waiting: 3,
    closed: 25,
    byState: { open: 12, waiting: 3, closed: 25 },
    unassigned: 5,
    unclaimed: 12,
    overdue: 1,
    snoozed: 2,
    triaged: 4,
    active: { total: 13, unassigned: 5, overdue: 1 },
  },
};

/** What the service sends. */
export const liveMessages: Readonly<Record<LiveType, MessageRow>> = {
  hello: {
    summary: 'The first message: who you are here, and where your stream begins.',
    schema: message('hello', {
      resumed: Type.Boolean({ description: 'Whether it goes on after the offset that you gave.' }),
      principal: responseObject(
        {
          type: Type.String({ description: 'agent or person.' }),
          id: nullable(Type.String({ description: 'Your id.' })),
          name: Type.String({ description: 'Your name.' }),
          mode: Type.String({ description: 'normal, readonly or supervised.' }),
        },
        { description: 'Who you are.' },
      ),
      counts: inboxes,
      approvals,
      app: responseObject(
        { online: Type.Boolean({ description: 'Whether it is connected; messages `app` say when that changes.' }) },
        { description: 'The customer’s app.' },
      ),
    }),
    example: {
      type: 'hello',
      ...head,
      prev: null,
      resumed: false,
      principal: { type: 'agent', id: 'agt_01jd0000000000000000000000', name: 'Triage bot', mode: 'normal' },
      counts: counted,
      approvals: { pending: 2, decidable: 0, questions: 0 },
      app: { online: true },
    },
  },
  item: {
    summary: 'An item was created or changed.',
    schema: message('item', {
      inbox: Type.String({ description: 'Its inbox.' }),
      change,
      item: itemSchema,
      by: actorSchema,
    }),
    example: { type: 'item', ...head, inbox: 'support', change: 'changed', item: exampleOf('Item'), by: actor },
  },
  timeline: {
    summary: 'An entry of an item’s timeline was written or changed.',
    schema: message('timeline', {
      inbox: Type.String({ description: 'The item’s inbox.' }),
      change,
      item: Type.String({ description: 'The item’s id.' }),
      entry: entrySchema,
    }),
    example: {
      type: 'timeline',
      ...head,
      inbox: 'support',
      change: 'created',
      item: 'itm_01jd0000000000000000000000',
      entry: exampleOf('Entry'),
    },
  },
  claim: {
    summary: 'An item was claimed, or its claim was given back or taken; none is sent of a claim that ends by itself.',
    schema: message('claim', {
      inbox: Type.String({ description: 'The item’s inbox.' }),
      item: Type.String({ description: 'The item’s id.' }),
      claim: itemSchema.properties.claim,
    }),
    example: {
      type: 'claim',
      ...head,
      inbox: 'support',
      item: 'itm_01jd0000000000000000000000',
      claim: { by: actor, until: 1_767_225_600_000 },
    },
  },
  bulk: {
    summary: 'A bulk was started, has gone on or has ended; its progress is passing.',
    schema: message('bulk', { bulk: bulkSchema }),
    example: { type: 'bulk', ...head, bulk: exampleOf('Bulk') },
  },
  run: {
    summary:
      'A run of an action moved; its progress is passing. Blocks with items and actions are left to GET /runs/:id.',
    schema: message('run', { run: runSchema }),
    example: { type: 'run', ...head, run: exampleOf('Run') },
  },
  approval: {
    summary: 'Something was asked for, or decided.',
    schema: message('approval', { approval: approvalSchema }),
    example: { type: 'approval', ...head, approval: exampleOf('Approval') },
  },
  flag: {
    summary: 'A feature flag was changed, by hand or by a step of its ramp.',
    schema: message('flag', { flag: flagSchema, by: actorSchema }),
    example: { type: 'flag', ...head, flag: exampleOf('Flag'), by: actor },
  },
  app: {
    summary: 'Passing: the app came or went.',
    schema: message('app', { online: Type.Boolean({ description: 'Whether it is there.' }) }),
    example: { type: 'app', ...passing, online: true },
  },
  counts: {
    summary: 'Passing: how many items the inboxes have that changed, and how many approvals wait.',
    schema: message('counts', { inboxes, approvals: nullable(approvals) }),
    example: { type: 'counts', ...passing, inboxes: counted, approvals: null },
  },
  read: {
    summary: 'Passing: the agent that you watch has read something.',
    schema: message('read', {
      agent: actorSchema,
      verb: Type.String({ description: 'What it called: the name of an endpoint, such as item.list.' }),
      via: Type.Union([Type.Literal('http'), Type.Literal('mcp')], { description: 'By HTTP or by a tool.' }),
      targets: Type.Array(
        responseObject({
          type: Type.String({ description: 'item, record, resource, page, flag, run, approval, bulk or agent.' }),
          id: Type.String({ description: 'Its id or name; of a record with its resource: order:ord_1.' }),
        }),
        { description: 'What it named, as far as you see it.' },
      ),
      query: nullable(
        Type.Record(Type.String(), Type.Unknown(), {
          description: 'Its parameters; null: not understood, or the agent sees more than you.',
        }),
      ),
      outcome: Type.Union([Type.Literal('ok'), Type.Literal('denied'), Type.Literal('failed')], {
        description: 'What became of it.',
      }),
      code: nullable(Type.String({ description: 'The code of the error.' })),
    }),
    example: {
      type: 'read',
      ...passing,
      agent: actor,
      verb: 'item.list',
      via: 'mcp',
      targets: [],
      query: { inbox: ['support'], q: 'refund' },
      outcome: 'ok',
      code: null,
    },
  },
  view: {
    summary: 'Passing: a saved view that you see was saved, changed or deleted; GET /me/views has what there is now.',
    schema: message('view', {
      view: responseObject(
        { id: Type.String({ description: 'The saved view.' }), owner: actorSchema },
        { description: 'Which one.' },
      ),
    }),
    example: {
      type: 'view',
      ...passing,
      view: { id: 'viw_01jd0000000000000000000000', owner: actor },
    },
  },
  narrowed: {
    summary: 'Passing: the answer to narrow; it holds from here.',
    schema: message('narrowed', {
      types: names('Only these types; null: all.'),
      inboxes: names('Only these inboxes; null: all.'),
    }),
    example: { type: 'narrowed', ...passing, types: ['item'], inboxes: null },
  },
  reset: {
    summary: 'Read everything anew: what was missed is not kept, the database was restored, or your role changed.',
    schema: message('reset', {
      reason: Type.Union([Type.Literal('gone'), Type.Literal('epoch'), Type.Literal('role')], { description: 'Why.' }),
    }),
    example: { type: 'reset', ...head, reason: 'role' },
  },
  pong: {
    summary: 'Passing: the answer to ping.',
    schema: message('pong', {}),
    example: { type: 'pong', ...passing },
  },
  error: {
    summary: 'Passing: your message was not understood; after ten the connection ends.',
    schema: message('error', {
      error: Type.String({ description: 'A sentence for people.' }),
      code: Type.String({ description: 'The error code.' }),
      details: Type.Optional(
        Type.Array(
          responseObject({
            path: Type.String({ description: 'The place.' }),
            message: Type.String({ description: 'What is wrong there.' }),
          }),
          { description: 'Each place that is wrong.' },
        ),
      ),
    }),
    example: { type: 'error', ...passing, error: 'The message is not valid JSON.', code: 'bad_json' },
  },
};

/** What a client may send. */
export const liveRequests: Readonly<Record<string, MessageRow>> = {
  ping: { summary: 'Asks for a pong.', schema: pingSchema, example: { type: 'ping' } },
  narrow: {
    summary:
      'Says what to hear of from now on: null of everything, what is left out stays. At most ten times a second.',
    schema: narrowSchema,
    example: { type: 'narrow', types: ['item', 'timeline'], inboxes: ['support'] },
  },
};
