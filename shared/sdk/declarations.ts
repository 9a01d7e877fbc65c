/** The types of what an app declares with `defineApp`. docs/manifest.md has every form with its limits. */
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

/** The type of the values that the JSON Schema literal `S` describes; any object when `S` is not known. */
export type InputOf<S> = unknown extends S ? Json : XStatic<S>;

/**
 * How `field` is compared with `value`: `in` and `nin` take a list, `exists` takes true or false, `matchesSemver` takes a
 * range such as `>=1.2.0 <2`. Values of different types are never equal, nor in an order.
 */
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
/**
 * A condition over an item, a record or a flag's context. Paths are dotted: `record.fields.status`, `item.fields.plan`.
 * At most 8 levels and 100 conditions.
 *
 * @example
 * { all: [{ field: 'record.fields.status', op: 'eq', value: 'paid' }, { not: { field: 'item.record', op: 'exists' } }] }
 */
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | { readonly field: string; readonly op: ConditionOp; readonly value?: unknown };

/** How a value is shown. `time` is in ms since 1970 UTC. */
export type ValueType = 'text' | 'number' | 'money' | 'time' | 'boolean' | 'link' | 'person';
/** An action or a flag change with a level other than null needs `confirmed: true`. */
export type Danger = 'low' | 'high' | null;

/** A member of the records' `fields`. */
export interface Field {
  readonly name: string;
  /** What people read; the name by default. */
  readonly label?: string;
  /** What it is, for those who find it for the first time; at most 2,000 characters. */
  readonly description?: string;
  /** `text` by default. */
  readonly type?: ValueType;
  /** Whether lists can be filtered by the field; false by default. */
  readonly filter?: boolean;
  /** Whether lists can be sorted by the field; false by default. */
  readonly sort?: boolean;
  /** Whether searches look at the field; false by default. */
  readonly search?: boolean;
}

/** A link from a record to others. With neither `field` nor `key` the handler `related` finds the records. */
export interface Relation {
  readonly name: string;
  /** What people read; the name by default. */
  readonly label?: string;
  /** What it is, for those who find it for the first time; at most 2,000 characters. */
  readonly description?: string;
  /** The related resource; required with `field` or `key`. */
  readonly resource?: string;
  /** The field of the related records that holds this record's id. */
  readonly field?: string;
  /** The field of this record that holds the related record's id. Not together with `field`. */
  readonly key?: string;
}

interface ResourceBase {
  /** What people read; the name by default. */
  readonly label?: string;
  /** What it is, for those who find it for the first time; at most 2,000 characters. */
  readonly description?: string;
  readonly fields?: readonly Field[];
  readonly relations?: readonly Relation[];
  /** Blocks of each record's page; texts may hold templates such as `{{record.fields.email}}`. At most 50. */
  readonly blocks?: readonly Block[];
  /** Returns further blocks for a record's page. */
  readonly detail?: RecordDetail;
  /**
   * Returns which actions apply to records now, and with which defaults. For what the handler leaves out, `when` and
   * `defaults` of the action decide.
   */
  readonly available?: AvailableHandler;
}
/**
 * A kind of record. `stored` records are pushed with `client.putRecords` and served by the service, also while the app is
 * offline. For `app` records each read calls the app, and fails while the app is offline.
 */
export type Resource =
  | (ResourceBase & { readonly source: 'stored'; readonly related?: RecordsHandlers['related'] })
  | (ResourceBase & { readonly source: 'app' } & RecordsHandlers);

/** A state of an inbox's items; `closed` states end the work on an item. */
export interface State {
  readonly name: string;
  readonly description?: string;
  readonly kind: 'open' | 'waiting' | 'closed';
}

/** A list of items that people and agents work on. */
export interface Inbox {
  /** What people read; the name by default. */
  readonly label?: string;
  /** What it is, for those who find it for the first time; at most 2,000 characters. */
  readonly description?: string;
  /** `open`, `waiting` and `closed` by default. */
  readonly states?: readonly State[];
  /** The state of a new item; the first of `states` by default. */
  readonly initial?: string;
  /** From each state the states that can be entered; any state to any other by default. */
  readonly transitions?: Readonly<Record<string, readonly string[]>>;
  /** Time from an item's creation to its deadline, in ms, at most 365 days; none by default. */
  readonly responseTime?: number | null;
  /** JSON Schema 2020-12 of the `data` of new items, at most 64 KiB; any object by default. */
  readonly fields?: object;
  /** How replies reach the user: by the handler `send`, or by mail from `from` to the address that `to` gives; null: not at all. */
  readonly reply?:
    | null
    | { readonly via: 'app'; readonly send: ReplyHandler }
    | { readonly via: 'smtp'; readonly from: string; readonly to: string };
  /**
   * What a new occurrence does to its item: `reopen` lists the kinds of states that it moves back to `initial` (`closed`
   * and `waiting` by default), `wake` ends a snooze (false by default). `keep`: how many of the newest occurrences are kept
   * with title and data, 1 to 10,000; null keeps all, each with a timeline entry, as a conversation needs it (null by
   * default where the inbox declares `reply`, else 100). `update`: whether the newest one replaces the item's title and
   * fields (false by default).
   */
  readonly onOccurrence?: {
    readonly reopen?: readonly State['kind'][];
    readonly wake?: boolean;
    readonly keep?: number | null;
    readonly update?: boolean;
  };
  /** Blocks of each item's page; texts may hold templates such as `{{item.fields.email}}`. At most 50. */
  readonly blocks?: readonly Block[];
  /** Actions that are suggested for the items for which `when` holds. Texts in `input` may hold templates. */
  readonly suggest?: readonly {
    readonly when?: Condition;
    readonly action: string;
    readonly input?: Json;
    readonly reason?: string;
  }[];
  /** Returns further blocks and suggestions for an item's page. */
  readonly detail?: ItemDetail;
}

/** A filter of `GET /items` under a name; its members are written as in that query. */
export interface View {
  /** What people read; the name by default. */
  readonly label?: string;
  /** What it is, for those who find it for the first time; at most 2,000 characters. */
  readonly description?: string;
  readonly inbox?: string;
  /** States, comma-separated: items in any of them. */
  readonly state?: string;
  /** Tags, comma-separated: items that have all of them. */
  readonly tags?: string;
  /** A person's id, `me` or `none`. */
  readonly assignee?: string;
  /** Words of the title. */
  readonly search?: string;
  /** `'1'`: only those past their deadline; `'0'`: only the others. The same for `triaged` and `snoozed`. */
  readonly overdue?: '0' | '1';
  readonly triaged?: '0' | '1';
  readonly snoozed?: '0' | '1';
  /** A leading `-` means descending; `-lastSeen` by default. */
  readonly sort?: `${'' | '-'}${'lastSeen' | 'firstSeen' | 'occurrences' | 'users' | 'title' | 'due'}`;
}

/** Something that people and agents may have the app do. `S` is the type of its input schema. */
export interface Action<S> {
  /** What people read; the name by default. */
  readonly label?: string;
  /** What it is, for those who find it for the first time; at most 2,000 characters. */
  readonly description?: string;
  /** The resource whose records the action runs on; none by default. */
  readonly resource?: string | null;
  /**
   * JSON Schema 2020-12 of the input, with references into itself only, at most 64 KiB; the handler's `input` is typed
   * from it. Without a schema the action takes no input.
   */
  readonly input?: S;
  /** Null by default. */
  readonly danger?: Danger;
  /** Whether a person has to approve each run; false by default. */
  readonly approval?: boolean;
  /** Whether only a person may run it who has signed in within the last 15 minutes; false by default. */
  readonly freshSignIn?: boolean;
  /** Whether the caller gets `running` at once instead of waiting for the result; false by default. For long work. */
  readonly background?: boolean;
  /** Whether handling the same run twice is harmless; false by default. Lost runs are retried only when it is true. */
  readonly repeatable?: boolean;
  /** How often a repeatable action is handed over while no answer comes, before its run ends unknown: 1 to 20, 5 by default. */
  readonly attempts?: number;
  /** What happens to a run while no instance of the app is online: it waits (`queue`, the default) or is refused. */
  readonly offline?: 'queue' | 'refuse';
  /** How long a queued run waits for the app, in ms; 1 hour by default, at most 7 days. */
  readonly offlineExpiry?: number;
  /** How long the handler may take, in ms; 60 s by default, 1 hour for a background action, at most 24 hours. */
  readonly timeout?: number;
  /** For which records the action applies, over `record` and `item`, and why not for others; all by default. */
  readonly when?: Condition | { readonly if: Condition; readonly otherwise: string };
  /** What the form is filled with, by member of the input; texts may hold templates such as `{{record.fields.email}}`. */
  readonly defaults?: Json;
  /** Does the work. See `RunCall` for what makes it safe to call twice. */
  readonly run: RunHandler<InputOf<S>>;
}

/**
 * A block of a page: with `source` (`'items'`, `'records'`, `'counts'` or `'flags'`) the service fills it with the rights
 * of the caller, with `load` the app fills it, with neither it is shown as it stands.
 */
export type PageBlock = Json & {
  readonly type: string;
  readonly title?: string;
  readonly source?: string;
  readonly load?: LoadBlock;
};

/** A page of blocks. Texts of its blocks may hold templates such as `{{params.region}}`. */
export interface Page {
  /** What people read; the name by default. */
  readonly label?: string;
  /** What it is, for those who find it for the first time; at most 2,000 characters. */
  readonly description?: string;
  /** What the page is asked for with; at most 50. */
  readonly params?: readonly { readonly name: string; readonly description?: string; readonly required?: boolean }[];
  /** At most 100. */
  readonly blocks: readonly PageBlock[];
}

/** The kind of a flag's values. */
export type FlagKind = 'boolean' | 'string' | 'number' | 'json';
interface FlagOf<K extends FlagKind, V> {
  readonly kind: K;
  /** The flag's value until it is changed; at most 32 KiB as JSON. */
  readonly default: V;
  /** The resource whose records' ids are the targeting keys. */
  readonly resource?: string | null;
  /** Whether a person has to approve each change; false by default. */
  readonly approval?: boolean;
  /** Null by default. */
  readonly danger?: Danger;
  readonly description?: string;
}
/** A feature flag; `default` is typed by `kind`. */
export type Flag =
  FlagOf<'boolean', boolean> | FlagOf<'string', string> | FlagOf<'number', number> | FlagOf<'json', unknown>;

/**
 * Triage of the new items of the inbox of the same name. The first rule whose condition holds applies; when none does,
 * `answer` is called.
 */
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

/** What `defineApp` takes. The keys are the names. `A` holds the type of each action's input schema. */
export interface AppDeclaration<A> {
  readonly resources?: Readonly<Record<string, Resource>>;
  readonly inboxes?: Readonly<Record<string, Inbox>>;
  readonly views?: Readonly<Record<string, View>>;
  readonly actions?: { readonly [K in keyof A]: Action<A[K]> };
  readonly pages?: Readonly<Record<string, Page>>;
  readonly flags?: Readonly<Record<string, Flag>>;
  readonly triage?: Readonly<Record<string, Triage>>;
}
