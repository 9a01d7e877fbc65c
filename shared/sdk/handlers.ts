/** What the handlers of an app are given and may answer; a handler may answer at once or with a promise. */
import type { Actor, Block, GivenRecord, Json, LinkRecord, ServiceCalls } from '../applink/protocol.ts';

type Maybe<T> = T | Promise<T>;

/** An item as `GET /items/:id` shows it. */
export interface Item extends Json {
  readonly id: string;
  readonly inbox: string;
  readonly title: string;
  readonly state: string;
  readonly record: { readonly resource: string; readonly id: string; readonly title: string } | null;
  readonly tags: readonly string[];
  readonly assignee: string | null;
  readonly fields: Json;
}

interface Call {
  /** Aborted when the answer is not waited for any more. */
  readonly signal: AbortSignal;
}

export interface RunCall<Input> extends Call {
  /** The run's id: the same id must never act twice. Keep it with the effect, in one transaction. */
  readonly run: string;
  readonly action: string;
  /** As it was when the run was handed over; null when the action takes none. */
  readonly record: LinkRecord | null;
  /** Valid by the schema, its defaults filled in. */
  readonly input: Input;
  readonly item: Item | null;
  readonly actor: Actor;
  /** 1 for the first hand-over; above 1 the run may have acted before. */
  readonly attempt: number;
  /** From 0 to 1, or null to change only the message. Sent at most ten times a second. */
  readonly progress: (fraction: number | null, message?: string) => void;
}
export type RunResult =
  string | { readonly message?: string | null; readonly blocks?: readonly Block[] } | null | undefined | void;
export type RunHandler<Input> = (call: RunCall<Input>) => Maybe<RunResult>;

type Params<M extends keyof ServiceCalls> = Omit<ServiceCalls[M]['params'], 'resource'> & Call;

export interface RecordsHandlers {
  /** Best match first, at most `limit`. */
  readonly search: (call: Params<'records.search'>) => Maybe<readonly GivenRecord[]>;
  readonly list: (call: Params<'records.list'>) => Maybe<ServiceCalls['records.list']['result']>;
  /** Those of `ids` that exist. */
  readonly get: (call: Params<'records.get'>) => Maybe<readonly GivenRecord[]>;
  readonly related?: (call: Params<'records.related'>) => Maybe<ServiceCalls['records.related']['result']>;
}

export type RecordDetail = (call: { readonly id: string } & Call) => Maybe<{ readonly blocks?: readonly Block[] }>;
export type ItemDetail = (call: { readonly item: Item } & Call) => Maybe<ServiceCalls['item.blocks']['result']>;

/** By record id: further defaults of the actions that apply, and why the others do not. */
export type Availability = Readonly<
  Record<
    string,
    { readonly defaults?: Readonly<Record<string, Json>>; readonly unavailable?: Readonly<Record<string, string>> }
  >
>;
export type AvailableHandler = (call: { readonly ids: readonly string[] } & Call) => Maybe<Availability>;

/** Answers the block; what was declared of it (its type, title, columns) is filled in. */
export type LoadBlock = (
  call: { readonly params: Readonly<Record<string, string>>; readonly actor: Actor } & Call,
) => Maybe<Json>;

/** Sends the reply; `throw new ActionFailed('…')` says that it was not sent. `delivery` must never send twice. */
export type ReplyHandler = (
  call: {
    readonly item: Item;
    readonly subject: string;
    readonly text: string;
    readonly actor: Actor;
    readonly delivery: string;
  } & Call,
) => Maybe<void>;

export type TriageHandler = (
  call: { readonly item: Item } & Call,
) => Maybe<ServiceCalls['triage.answer']['result'] | undefined | void>;
