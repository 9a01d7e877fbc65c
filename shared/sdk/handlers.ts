/** The types of an app's handlers: what each is called with, and what it may return, at once or as a promise. */
import type { Actor, GivenRecord, Json, LinkRecord, ServiceCalls } from '../app/link/protocol.ts';
import type { AnyName, Block, BlockMembers } from './blocks.ts';

type Maybe<T> = T | Promise<T>;

/** An item, as `GET /items/:id` returns it. `Fields` is the type of its inbox's `data`, `Inbox` its name. */
export interface Item<Fields = Json, Inbox extends string = string> extends Json {
  readonly id: string;
  readonly inbox: Inbox;
  readonly title: string;
  readonly state: string;
  readonly record: { readonly resource: string; readonly id: string; readonly title: string } | null;
  readonly tags: readonly string[];
  readonly assignee: string | null;
  /** The `data` of its creation, or of its newest report where the inbox declares `onOccurrence.update`. */
  readonly fields: Fields;
}

/** What one report of an item brought. */
export interface Occurrence<Fields = Json> {
  readonly id: string;
  /** When it happened, in ms since 1970 UTC. */
  readonly at: number;
  readonly title: string;
  /** null: it is from before the service kept content. */
  readonly data: Fields | null;
  /** Who was affected. */
  readonly user: string | null;
}

interface Call {
  /**
   * Aborted when the time for the answer is up, or when the client closes, as `reason` says. The answer to a read comes too late then; that of
   * a run counts for 60 s more, as its effect may be done.
   */
  readonly signal: AbortSignal;
}

/** A record that an action runs on, with its resource's declared fields. */
export type RecordOf<Fields> = Omit<LinkRecord, 'fields'> & { readonly fields: Fields };

/** What the handler of an action is called with. `Rec` is the record's type: null when the action takes none. */
export interface RunCall<Input = Json, Rec = LinkRecord | null, I = Item> extends Call {
  /**
   * The run's id and idempotency key: the same id must never act twice. Write it in the transaction of the effect, or pass
   * it on as the idempotency key of what the handler calls.
   */
  readonly run: string;
  /** The action's name. */
  readonly action: string;
  /** The record at the moment of the call; null when the action takes none. */
  readonly record: Rec;
  /** Valid by the action's schema, with the schema's defaults filled in. */
  readonly input: Input;
  /** The item that the action was run from, if any. */
  readonly item: I | null;
  /** Who asked for the run. */
  readonly actor: Actor;
  /** Why, in the words of who asked for it; null: nothing was said. Plain text. */
  readonly reason: string | null;
  /** Who approved the run, or the bulk that it is part of; null: nobody had to. */
  readonly approvedBy: Actor | null;
  /** Counts the calls for this run from 1. Above 1, an earlier call may have acted. */
  readonly attempt: number;
  /** The call in the service's traces, to go on from (W3C Trace Context); null: it is not traced. */
  readonly traceparent: string | null;
  /**
   * Shows progress to those who wait: `fraction` from 0 to 1, or null to change the message alone. At most ten a second
   * are sent; the last one is always among them.
   */
  readonly progress: (fraction: number | null, message?: string) => void;
}
/**
 * What the handler of an action may return: a message, a message with blocks (4 MiB of JSON at most; blocks that don't fit
 * are left out), or nothing.
 */
export type RunResult =
  | string
  | { readonly message?: string | null; readonly blocks?: readonly Block[] }
  | null
  | undefined
  | void;
/** Does what the action says. Throws `ActionFailed` to refuse with a message that the caller reads. */
export type RunHandler<Input = Json, Rec = LinkRecord | null, I = Item> = (
  call: RunCall<Input, Rec, I>,
) => Maybe<RunResult>;

type Params<M extends keyof ServiceCalls> = Omit<ServiceCalls[M]['params'], 'resource'> & Call;

/** Reads of a resource with `source: 'app'`. The service waits 10 s for each. */
export interface RecordsHandlers {
  /** Returns the records that match `q`, the best match first, at most `limit`. */
  readonly search: (call: Params<'records.search'>) => Maybe<readonly GivenRecord[]>;
  /**
   * Returns a page of records and the app's own `cursor` of the next page; null: no more. `cursor` is null for the first
   * page, `sort` a field's name, with a leading `-` for descending.
   */
  readonly list: (call: Params<'records.list'>) => Maybe<ServiceCalls['records.list']['result']>;
  /** Returns those of `ids` that exist, in any order. */
  readonly get: (call: Params<'records.get'>) => Maybe<readonly GivenRecord[]>;
  /** Returns a page of the records that `relation` leads to, for relations without `field` and `key`. */
  readonly related?: (call: Params<'records.related'>) => Maybe<ServiceCalls['records.related']['result']>;
}

/** Returns blocks for a record's page. The service waits 10 s. */
export type RecordDetail<A extends string = AnyName> = (
  call: { readonly id: string } & Call,
) => Maybe<{ readonly blocks?: readonly Block<A>[] }>;

/** What an inbox's `detail` adds to an item's page. `A` are the names of the actions. */
export interface ItemAdditions<A extends string = AnyName> {
  readonly blocks?: readonly Block<A>[];
  readonly suggestedActions?: readonly {
    readonly action: A;
    readonly record?: string | null;
    readonly input?: Json;
    readonly reason?: string | null;
  }[];
}
/**
 * Returns blocks and suggested actions for an item's page. `latestOccurrence` is what the newest report of the item brought
 * (null from a service that does not send it). The service waits 2 s.
 */
export type ItemDetail<I = Item, O = Occurrence, A extends string = AnyName> = (
  call: { readonly item: I; readonly latestOccurrence: O | null } & Call,
) => Maybe<ItemAdditions<A>>;

/** By record id: `defaults` by action of those that apply, and by action the reason why others are `unavailable`. */
export type Availability<A extends string = AnyName> = Readonly<
  Record<
    string,
    {
      readonly defaults?: { readonly [K in A]?: Json };
      readonly unavailable?: { readonly [K in A]?: string };
    }
  >
>;
/** Returns which actions apply to the records of `ids`. The service waits 10 s. */
export type AvailableHandler<A extends string = AnyName> = (
  call: { readonly ids: readonly string[] } & Call,
) => Maybe<Availability<A>>;

/** Returns the content of a block of type `T`; the declared members (its type, title, columns) are filled in. The service waits 10 s. */
export type LoadBlock<T extends keyof BlockMembers = keyof BlockMembers, A extends string = AnyName> = (
  call: { readonly params: Readonly<Record<string, string>>; readonly actor: Actor } & Call,
) => Maybe<Partial<BlockMembers<A>[T]> & { readonly title?: string | null }>;

/**
 * Sends a reply to the user, within 60 s. Throws `ActionFailed` when it was not sent. `delivery` is the idempotency key: the
 * same delivery must never be sent twice.
 */
export type ReplyHandler<I = Item> = (
  call: {
    readonly item: I;
    readonly subject: string;
    readonly text: string;
    readonly actor: Actor;
    readonly delivery: string;
  } & Call,
) => Maybe<void>;

/** What triage does to a new item. `S` are the names of the inbox's states. */
export interface TriageAnswer<S extends string = AnyName> {
  /** The answers, by question. */
  readonly answers?: Json;
  /** Whether the item gets its inbox's first closed state. Not together with `state`. */
  readonly close?: boolean;
  readonly state?: S;
  readonly tags?: readonly string[];
  /** A person's id. */
  readonly assignee?: string | null;
  readonly reason?: string;
}
/** Returns what to do with a new item, or nothing. The service waits 30 s. */
export type TriageHandler<I = Item, S extends string = AnyName> = (
  call: { readonly item: I } & Call,
) => Maybe<TriageAnswer<S> | null | undefined | void>;
