/** What an app declares, typed: the parts of `defineApp` (contract section 10). The service validates all of it. */
import type { XStatic } from 'typebox/schema';
import type { Block, Json } from '../applink/protocol.ts';
import type {
  AvailableHandler,
  ItemDetail,
  LoadBlock,
  RecordDetail,
  RecordsHandlers,
  ReplyHandler,
  RunHandler,
  TriageHandler,
} from './handlers.ts';

/** The value that a JSON Schema literal describes; any object without one. */
export type InputOf<S> = unknown extends S ? Json : XStatic<S>;

export type ConditionOp =
  | 'eq'
  | 'ne'
  | 'in'
  | 'nin'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'contains'
  | 'startsWith'
  | 'endsWith'
  | 'exists'
  | 'matchesSemver';
/** Paths are dotted: `record.fields.status`, `item.fields.plan`. */
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | { readonly field: string; readonly op: ConditionOp; readonly value?: unknown };

export type ValueType = 'text' | 'number' | 'money' | 'time' | 'boolean' | 'link' | 'person';
export type Danger = 'low' | 'high' | null;

export interface Field {
  readonly name: string;
  readonly label?: string;
  readonly type?: ValueType;
  /** Whether lists can be filtered, sorted and searched by it. */
  readonly filter?: boolean;
  readonly sort?: boolean;
  readonly search?: boolean;
}

/** `field`: records of `resource` whose field is this id. `key`: the record whose id is this field. Neither: `related` answers. */
export interface Relation {
  readonly name: string;
  readonly label?: string;
  readonly resource?: string;
  readonly field?: string;
  readonly key?: string;
}

interface ResourceBase {
  readonly label?: string;
  readonly fields?: readonly Field[];
  readonly relations?: readonly Relation[];
  /** Shown for each record; texts may have `{{record.fields.email}}`. */
  readonly blocks?: readonly Block[];
  /** What the app adds to a record's page. */
  readonly detail?: RecordDetail;
  /** Which actions apply to records right now, and with which defaults; the declarations hold for what is left out. */
  readonly available?: AvailableHandler;
}
/** `stored`: pushed with `client.putRecords` and served by the service. `app`: each read asks the app. */
export type Resource =
  | (ResourceBase & { readonly source: 'stored'; readonly related?: RecordsHandlers['related'] })
  | (ResourceBase & { readonly source: 'app' } & RecordsHandlers);

export interface State {
  readonly name: string;
  readonly kind: 'open' | 'waiting' | 'closed';
}

export interface Inbox {
  readonly label?: string;
  readonly states?: readonly State[];
  readonly initial?: string;
  readonly transitions?: Readonly<Record<string, readonly string[]>>;
  /** ms from an item's creation to its deadline. */
  readonly responseTime?: number | null;
  /** JSON Schema of `data`. */
  readonly fields?: object;
  readonly reply?:
    | null
    | { readonly via: 'app'; readonly send: ReplyHandler }
    | { readonly via: 'smtp'; readonly from: string; readonly to: string };
  readonly onOccurrence?: { readonly reopen?: readonly State['kind'][]; readonly wake?: boolean };
  readonly blocks?: readonly Block[];
  readonly suggest?: readonly {
    readonly when?: Condition;
    readonly action: string;
    readonly input?: Json;
    readonly reason?: string;
  }[];
  /** What the app adds to an item's page. */
  readonly detail?: ItemDetail;
}

export interface View {
  readonly label?: string;
  readonly inbox?: string;
  /** Comma-separated, as in `GET /items`. */
  readonly state?: string;
  readonly tags?: string;
  readonly assignee?: string;
  readonly search?: string;
  readonly overdue?: '0' | '1';
  readonly triaged?: '0' | '1';
  readonly snoozed?: '0' | '1';
  readonly sort?: `${'' | '-'}${'lastSeen' | 'firstSeen' | 'occurrences' | 'users' | 'title' | 'due'}`;
}

export interface Action<S> {
  readonly label?: string;
  /** The resource whose records it acts on; absent: it takes no record. */
  readonly resource?: string | null;
  /** JSON Schema 2020-12 of its input; the handler's `input` is typed from it. */
  readonly input?: S;
  readonly danger?: Danger;
  readonly approval?: boolean;
  readonly freshSignIn?: boolean;
  /** Answers `running` at once and reports progress. */
  readonly background?: boolean;
  /** Whether acting twice on the same run is harmless. */
  readonly repeatable?: boolean;
  readonly offline?: 'queue' | 'refuse';
  /** In ms: how long it waits for the app, and how long the app may take. */
  readonly offlineExpiry?: number;
  readonly timeout?: number;
  readonly when?: Condition;
  readonly defaults?: Json;
  readonly run: RunHandler<InputOf<S>>;
}

/** A block that the service fills (`source: 'items' | 'records' | 'counts' | 'flags'`), one that `load` fills, or one that stands as it is. */
export type PageBlock = Json & {
  readonly type: string;
  readonly title?: string;
  readonly source?: string;
  readonly load?: LoadBlock;
};

export interface Page {
  readonly label?: string;
  readonly params?: readonly { readonly name: string; readonly required?: boolean }[];
  readonly blocks: readonly PageBlock[];
}

export type FlagKind = 'boolean' | 'string' | 'number' | 'json';
interface FlagOf<K extends FlagKind, V> {
  readonly kind: K;
  readonly default: V;
  /** The resource whose records it is evaluated for. */
  readonly resource?: string | null;
  readonly approval?: boolean;
  readonly danger?: Danger;
  readonly description?: string;
}
export type Flag =
  FlagOf<'boolean', boolean> | FlagOf<'string', string> | FlagOf<'number', number> | FlagOf<'json', unknown>;

/** Of the inbox that it stands under: rules first, then the app's answer. */
export interface Triage {
  readonly rules?: readonly {
    readonly when: Condition;
    readonly answers?: Json;
    readonly close?: boolean;
    readonly state?: string;
    readonly tags?: readonly string[];
    readonly assignee?: string;
  }[];
  readonly answer?: TriageHandler;
}

/** Everything is named by its key. `A` holds each action's input schema. */
export interface AppDeclaration<A> {
  readonly resources?: Readonly<Record<string, Resource>>;
  readonly inboxes?: Readonly<Record<string, Inbox>>;
  readonly views?: Readonly<Record<string, View>>;
  readonly actions?: { readonly [K in keyof A]: Action<A[K]> };
  readonly pages?: Readonly<Record<string, Page>>;
  readonly flags?: Readonly<Record<string, Flag>>;
  readonly triage?: Readonly<Record<string, Triage>>;
}
