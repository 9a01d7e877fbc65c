/** What tests give and get, for testApp.ts. */
import type { Actor, GivenRecord, Json, ServiceCalls, ServiceMethod } from '../../app/link/protocol.ts';
import type { Block } from '../blocks.ts';
import type { Item } from '../handlers.ts';
import type { ActionFailed } from '../problems.ts';

export interface Detail {
  readonly path: string;
  readonly message: string;
}

/** The members of an item that a test gives; the others are those of a new item. `Fields` is the type of its `data`. */
export interface TestItem<Fields = Json> {
  readonly id?: string;
  readonly title?: string;
  readonly state?: string;
  readonly record?: Item['record'];
  readonly tags?: readonly string[];
  readonly assignee?: string | null;
  readonly fields?: Fields;
}

/** How a run is asked for. */
export interface RunRequest<Input> {
  /** The record that the action runs on, or the id of one that `client.putRecords` has stored or the app serves. */
  readonly record?: string | GivenRecord;
  readonly input?: Input;
  /** The item that the run is asked for from, and its inbox. */
  readonly item?: TestItem & { readonly inbox: string };
  readonly actor?: Actor;
  readonly reason?: string;
  readonly approvedBy?: Actor;
  /** The run's id, to call a handler twice for the same one. */
  readonly run?: string;
  readonly attempt?: number;
}

/** What came of a run. */
export interface TestRun {
  /** `refused`: by the service, before the handler was called; `failed`: the handler threw `ActionFailed`. */
  readonly status: 'succeeded' | 'failed' | 'refused';
  /** Of what was refused, the code that a caller of the API would get: `not_found`, `invalid` or `conflict`. */
  readonly code: 'not_found' | 'invalid' | 'conflict' | null;
  /** The handler's message, or why the run was refused or failed. */
  readonly message: string | null;
  /** The offending places of what was refused, such as `input.amount`. */
  readonly details: readonly Detail[];
  /** The handler's blocks as the service shows them: an invalid one is an `error` block. */
  readonly blocks: readonly Block[];
  /** The input as the handler got it, with the defaults of its schema; null when it was not called. */
  readonly input: Json | null;
  readonly progress: readonly { readonly fraction: number | null; readonly message: string | null }[];
  /** Whether a failed run may be tried again. */
  readonly retryable: boolean;
}

/** A reply that a handler was given to send. */
export interface TestReply {
  readonly item: Json;
  readonly subject: string;
  readonly text: string;
  readonly delivery: string;
  readonly status: 'sent' | 'failed';
  /** Why it was not sent. */
  readonly error: string | null;
}

/** The calls by which the service reads from the app. */
export type ReadMethod = Exclude<ServiceMethod, 'action.run' | 'triage.answer' | 'reply.send'>;

type Params<M extends ReadMethod> = ServiceCalls[M]['params'];
type Optional<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>;

/** The parameters of each call; what may be left out is empty, or as in a page of 50. */
export interface ReadParams {
  'records.search': Optional<Params<'records.search'>, 'limit'>;
  'records.list': Optional<Params<'records.list'>, 'q' | 'filters' | 'sort' | 'cursor' | 'limit'>;
  'records.get': Params<'records.get'>;
  'records.related': Optional<Params<'records.related'>, 'cursor' | 'limit'>;
  'record.blocks': Params<'record.blocks'>;
  'item.blocks': { readonly item: TestItem & { readonly inbox: string }; readonly latestOccurrence?: Json | null };
  'page.block': Optional<Params<'page.block'>, 'title' | 'params' | 'actor'>;
  'action.available': Params<'action.available'>;
}

/** Compares names, as the app may have another copy of the SDK. */
export const isActionFailed = (error: unknown): error is ActionFailed =>
  error instanceof Error && error.name === 'ActionFailed';
