/** The messages of the app link, JSON-RPC 2.0: what the app sends and what the service sends. Used by ../asyncapi.ts. */
import { itemSchema } from '../../shared/app/items/members.ts';
import type { AppCalls, AppNotifications, ServiceCalls, ServiceNotifications } from '../../shared/app/link/protocol.ts';
import { flagSchema } from '../../shared/flags/schema.ts';
import { occurrenceSchema } from '../../shared/items/occurrences/occurrences.ts';
import { reportInput } from '../../shared/items/reports/report.ts';
import {
  actorSchema,
  nullable,
  responseObject,
  Type,
  type TProperties,
  type TSchema,
} from '../../shared/platform/json/schema.ts';
import { recordSchema } from '../../shared/records/schema.ts';
import { appParams } from '../applink/calls.ts';
import { registrationInput } from '../applink/register.ts';
import { exampleOf } from './examples.ts';

/** A method, with an example of its params. */
interface MethodRow {
  readonly summary: string;
  readonly params: TSchema;
  readonly example: Readonly<Record<string, unknown>>;
}

const run = Type.String({ description: 'The run: the same one must never be done twice.' });
const resource = Type.String({ description: 'The resource.' });
const recordId = Type.String({ description: 'The record’s id.' });
const q = Type.String({ description: 'What is searched.' });
const limit = Type.Integer({ description: 'At most so many.' });
const cursor = nullable(
  Type.String({ description: 'The app’s own, from its answer before; null: from the beginning.' }),
);
const problems = Type.Array(
  responseObject({
    path: Type.String({ description: 'The place in the result.' }),
    message: Type.String({ description: 'What is wrong there.' }),
  }),
  { description: 'At most 20.' },
);
const params = (members: TProperties): TSchema => responseObject(members);

const exampleRun = 'run_01jd0000000000000000000000';
const actor = exampleOf('Actor');
const item = exampleOf('Item');
const page = { resource: 'payment', cursor: null, limit: 50 };

/** What the service calls; each has an id and is answered by `result` or `error`. */
export const serviceCalls: Readonly<Record<keyof ServiceCalls, MethodRow>> = {
  'action.run': {
    summary: 'Do an action. Answer { message, blocks }; an error -32001 is what the caller reads.',
    params: params({
      run,
      action: Type.String({ description: 'The action.' }),
      record: nullable(recordSchema),
      input: Type.Object({}, { description: 'Its input, checked, with defaults.' }),
      item: nullable(itemSchema),
      actor: actorSchema,
      attempt: Type.Integer({ description: 'Counts the calls for the run from 1.' }),
      background: Type.Boolean({ description: 'Whether nobody waits for the answer.' }),
      reason: nullable(Type.String({ description: 'Why, in the requester’s words.' })),
      approvedBy: nullable(actorSchema),
      traceparent: Type.Optional(
        Type.String({ description: 'The call in the service’s traces (W3C Trace Context), while it traces it.' }),
      ),
    }),
    example: {
      run: exampleRun,
      action: 'resend_receipt',
      record: exampleOf('Record'),
      input: { email: 'ana@example.com' },
      item: null,
      actor,
      attempt: 1,
      background: false,
      reason: 'Ana asked for it again.',
      approvedBy: null,
    },
  },
  'action.available': {
    summary: 'Which actions apply to these records, with defaults. What the answer leaves out the declaration decides.',
    params: params({
      refs: Type.Array(responseObject({ resource, id: recordId }), { description: 'The records.' }),
    }),
    example: { refs: [{ resource: 'order', id: 'ord_1001' }] },
  },
  'records.search': {
    summary: 'Find records of a resource that the app serves: { records }, best first.',
    params: params({ resource, q, limit }),
    example: { resource: 'payment', q: 'lind', limit: 50 },
  },
  'records.list': {
    summary: 'A page of records: { records, cursor }.',
    params: params({
      resource,
      q: nullable(q),
      filters: Type.Object(
        {},
        { description: 'Values, lists of values or { op: value }, by field; all have to hold.' },
      ),
      sort: nullable(Type.String({ description: 'A field; a leading - descends.' })),
      cursor,
      limit,
    }),
    example: { ...page, q: null, filters: { status: 'paid' }, sort: '-paidAt' },
  },
  'records.get': {
    summary: 'Those of these records that exist: { records }.',
    params: params({ resource, ids: Type.Array(recordId, { description: 'The ids.' }) }),
    example: { resource: 'payment', ids: ['pay_1'] },
  },
  'records.related': {
    summary: 'The records that one is related to: { records, cursor }.',
    params: params({ resource, id: recordId, relation: Type.String({ description: 'The relation.' }), cursor, limit }),
    example: { ...page, id: 'pay_1', relation: 'refunds' },
  },
  'page.block': {
    summary: 'The content of a page’s block with source app: { block }.',
    params: params({
      page: Type.String({ description: 'The page.' }),
      block: Type.Integer({ description: 'Its place in the page’s blocks.' }),
      title: nullable(Type.String({ description: 'Its title.' })),
      params: Type.Record(Type.String(), Type.String(), { description: 'The page’s parameters.' }),
      actor: actorSchema,
    }),
    example: { page: 'customer', block: 2, title: 'Usage', params: { customer: 'cus_1001' }, actor },
  },
  'item.blocks': {
    summary: 'What to show beside an item: { blocks, suggestedActions }.',
    params: params({ item: itemSchema, latestOccurrence: nullable(occurrenceSchema) }),
    example: { item, latestOccurrence: exampleOf('Occurrence') },
  },
  'record.blocks': {
    summary: 'What to show of a record: { blocks }.',
    params: params({ resource, id: recordId }),
    example: { resource: 'order', id: 'ord_1001' },
  },
  'triage.answer': {
    summary: 'Triage of a new item: { answers, close, state, tags, assignee, reason }, or null.',
    params: params({ item: itemSchema }),
    example: { item },
  },
  'reply.send': {
    summary: 'Send a reply to the customer. An error -32001 means that it was not sent.',
    params: params({
      item: itemSchema,
      subject: Type.String({ description: 'Its subject.' }),
      text: Type.String({ description: 'Its text.' }),
      actor: actorSchema,
      delivery: Type.String({ description: 'The idempotency key.' }),
    }),
    example: {
      item,
      subject: 'Re: The example',
      text: 'We have corrected it.',
      actor,
      delivery: 'ent_01jd0000000000000000000000',
    },
  },
};

/** What the service tells; these have no id and no answer. */
export const serviceNotifications: Readonly<Record<keyof ServiceNotifications, MethodRow>> = {
  'run.settled': {
    summary: 'The answer of a run is stored: the app may forget it.',
    params: params({ run }),
    example: { run: exampleRun },
  },
  'flags.changed': {
    summary: 'A flag as it is now.',
    params: params({ flag: flagSchema }),
    example: { flag: exampleOf('Flag') },
  },
  'app.problem': {
    summary: 'An answer of the app was wrong, and whoever waited for it got an error. For its log.',
    params: params({
      method: Type.String({ description: 'The method that was answered.' }),
      about: Type.Optional(
        Type.Object(
          {},
          {
            description:
              'What the call was about: run and action, page and block, resource and record, inbox and item.',
          },
        ),
      ),
      problems,
    }),
    example: {
      method: 'page.block',
      about: { page: 'sales', block: 2 },
      problems: [{ path: 'block', message: 'must have required property text' }],
    },
  },
};

/** What the app calls; `app.register` comes first. */
export const appCalls: Readonly<Record<keyof AppCalls, MethodRow>> = {
  'app.register': {
    summary: 'Declares the app: answers { environment, connection, warnings }.',
    params: registrationInput,
    example: {
      manifest: { inboxes: [{ name: 'support', states: [{ name: 'open', kind: 'open' }] }] },
      instance: 'web-1',
      startedAt: 1_795_334_400_000,
      sdk: 'my-client/1.0.0',
    },
  },
  'items.report': {
    summary: 'Reports an item or one more occurrence of it: answers { item, created }.',
    params: reportInput,
    example: {
      inbox: 'support',
      title: 'The example',
      key: 'example',
      data: { email: 'ana@example.com' },
      delivery: 'web-1:42',
    },
  },
  'records.put': {
    summary: 'Stores records of a resource that the service keeps, each whole: answers { stored }.',
    params: appParams['records.put'],
    example: { resource: 'order', records: [{ id: 'ord_1001', title: 'Order 1001' }] },
  },
  'records.delete': {
    summary: 'Deletes records: answers { deleted }.',
    params: appParams['records.delete'],
    example: { resource: 'order', ids: ['ord_1001'] },
  },
  'run.answers': {
    summary: 'Answers of runs that were not confirmed, sent after each registration: answers { settled }.',
    params: appParams['run.answers'],
    example: { answers: [{ run: exampleRun, result: { message: 'Sent.' } }] },
  },
  'flags.list': {
    summary: 'All flags: answers { flags, cursor }.',
    params: appParams['flags.list'],
    example: {},
  },
};

/** What the app tells. */
export const appNotifications: Readonly<Record<keyof AppNotifications, MethodRow>> = {
  'run.progress': {
    summary: 'How far a run is.',
    params: appParams['run.progress'],
    example: { run: exampleRun, progress: 0.5, message: 'Half of them are sent.' },
  },
};

/** The answer to a call, either way. */
export const answerSchema = Type.Union([
  responseObject({
    jsonrpc: Type.Literal('2.0'),
    id: Type.Union([Type.Integer(), Type.String()], { description: 'The id of the call.' }),
    result: Type.Unknown({ description: 'As the method says.' }),
  }),
  responseObject({
    jsonrpc: Type.Literal('2.0'),
    id: nullable(Type.Union([Type.Integer(), Type.String()], { description: 'The id of the call.' })),
    error: responseObject(
      {
        code: Type.Integer({ description: 'Of JSON-RPC; -32001: refused, with a sentence for the caller.' }),
        message: Type.String({ description: 'A sentence.' }),
        data: Type.Optional(Type.Object({}, { description: 'retryable, problems, or code and details.' })),
      },
      { description: 'Why it was not done.' },
    ),
  }),
]);
