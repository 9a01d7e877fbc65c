/** The types of what an app declares, each by itself: appDeclaration.ts joins them. docs/manifest.md has every form with its limits. */
import type { Json } from '../app/link/protocol.ts';
import type { AnyName, Block, IfAny, ValueType } from './blocks.ts';
import type {
  AvailableHandler,
  Item,
  ItemDetail,
  Occurrence,
  RecordDetail,
  RecordOf,
  RecordsHandlers,
  ReplyHandler,
  RunHandler,
  TriageAnswer,
  TriageHandler,
} from './handlers.ts';
import type { DataOf, InputOf } from './schemaTypes.ts';

/**
 * How `field` is compared with `value`: `in` and `nin` take a list, `exists` takes true or false, `matchesSemver` takes a
 * range as npm reads it, such as `>=1.2.0 <2` or `1.x || >=3`. Values of different types are never equal, nor in an order.
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
 * At most 8 levels and 100 conditions. `path` compares with the value at another path.
 *
 * @example
 * { all: [{ field: 'record.fields.status', op: 'eq', value: 'paid' }, { not: { field: 'item.record', op: 'exists' } }] }
 */
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | { readonly field: string; readonly op: ConditionOp; readonly value?: unknown }
  | { readonly field: string; readonly op: Exclude<ConditionOp, 'exists' | 'matchesSemver'>; readonly path: string };

/** An action or a flag change with a level other than null needs `confirmed: true`. */
export type Danger = 'low' | 'high' | null;

/** A member of the records' `fields`. */
export interface Field {
  readonly name: string;
  /** What people read; the name by default. */
  readonly label?: string;
  /** What it is, for those who find it for the first time; at most 2,000 characters. */
  readonly description?: string;
  /** `text` by default. `currency`: of `money`, an ISO 4217 code, or the field of the record that has one. */
  readonly type?: ValueType;
  readonly currency?: string | { readonly field: string };
  /** Whether lists can be filtered by the field; false by default. */
  readonly filter?: boolean;
  /** Whether lists can be sorted by the field; false by default. */
  readonly sort?: boolean;
  /** Whether searches look at the field; false by default. */
  readonly search?: boolean;
}

type FieldValue<F> = F extends { readonly type: 'number' | 'money' | 'time' }
  ? number
  : F extends { readonly type: 'boolean' }
    ? boolean
    : string;
/** What may be stored: money also as a text with its currency. */
type GivenValue<F> = FieldValue<F> | (F extends { readonly type: 'money' } ? string : never);
/**
 * The type of the `fields` of a resource's records by its declared fields `L`; any object when they are not known. Money is a
 * number: an app that stores texts with their currency reads those.
 */
export type FieldsOf<L> = L extends readonly (infer F extends Field)[]
  ? string extends F['name']
    ? Json
    : { readonly [One in F as One['name']]?: FieldValue<One> | null }
  : Json;
/** The type of the `fields` that a record may be given. */
export type GivenFieldsOf<L> = L extends readonly (infer F extends Field)[]
  ? string extends F['name']
    ? Json
    : { readonly [One in F as One['name']]?: GivenValue<One> | null }
  : Json;
/** The list of fields `L`, in which nothing but the members of `Field` may stand. */
type FieldList<L> = L & {
  readonly [I in keyof L]: Field & { readonly [Stray in Exclude<keyof L[I], keyof Field>]: never };
};
/** A link from a record to others. With neither `field` nor `key` the handler `related` finds the records. */
export interface Relation<R extends string = AnyName> {
  readonly name: string;
  /** What people read; the name by default. */
  readonly label?: string;
  /** What it is, for those who find it for the first time; at most 2,000 characters. */
  readonly description?: string;
  /** The related resource; required with `field` or `key`. */
  readonly resource?: R;
  /** The field of the related records that holds this record's id. */
  readonly field?: string;
  /** The field of this record that holds the related record's id. Not together with `field`. */
  readonly key?: string;
}

interface ResourceBase<L, R extends string, A extends string> {
  /** What people read; the name by default. */
  readonly label?: string;
  /** What it is, for those who find it for the first time; at most 2,000 characters. */
  readonly description?: string;
  readonly fields?: FieldList<L>;
  readonly relations?: readonly Relation<R>[];
  /** Blocks of each record's page; texts may hold templates such as `{{record.fields.email}}`. At most 50. */
  readonly blocks?: readonly Block<A>[];
  /** Returns further blocks for a record's page. */
  readonly detail?: RecordDetail<A>;
  /**
   * Returns which actions apply to records now, and with which defaults. For what the handler leaves out, `when` and
   * `defaults` of the action decide.
   */
  readonly available?: AvailableHandler<A>;
}
/**
 * A kind of record. `stored` records are pushed with `client.putRecords` and served by the service, also while the app is
 * offline. For `app` records each read calls the app, and fails while the app is offline. `L` is the list of its fields;
 * `R` and `A` are the names of the resources and actions.
 */
export type Resource<L = readonly Field[], R extends string = AnyName, A extends string = AnyName> =
  | (ResourceBase<L, R, A> & { readonly source: 'stored'; readonly related?: RecordsHandlers['related'] })
  | (ResourceBase<L, R, A> & { readonly source: 'app' } & RecordsHandlers);

/** A state of an inbox's items; `closed` states end the work on an item. */
export interface State {
  readonly name: string;
  readonly description?: string;
  readonly kind: 'open' | 'waiting' | 'closed';
}

/** The names of an inbox's states: `S`, or those that an inbox has that declares none. */
export type StateName<S> = IfAny<S, AnyName, (unknown extends S ? 'open' | 'waiting' | 'closed' : S) & string>;

/** The states of an inbox. */
export interface InboxStates<S> {
  /** `open`, `waiting` and `closed` by default. */
  readonly states?: readonly (Omit<State, 'name'> & { readonly name: S })[];
  /** The state of a new item; the first of `states` by default. */
  readonly initial?: NoInfer<StateName<S>>;
  /** From each state the states that can be entered; any state to any other by default. */
  readonly transitions?: NoInfer<{ readonly [From in StateName<S>]?: readonly StateName<S>[] }>;
}

/** An inbox but for its states. */
export interface InboxMembers<F, A extends string> {
  /** What people read; the name by default. */
  readonly label?: string;
  /** What it is, for those who find it for the first time; at most 2,000 characters. */
  readonly description?: string;
  /** Names of priorities, the most urgent first; `urgent`, `high`, `normal` and `low` by default. A new item is `normal`, or of the middle one. */
  readonly priorities?: readonly string[];
  /** Time from an item's creation to its deadline, in ms, at most 365 days; none by default. */
  readonly responseTime?: number | null;
  /** JSON Schema 2020-12 of the `data` of new items, at most 64 KiB; any object by default. */
  readonly fields?: F;
  /** Whether agents and persons have to give a reason with each change of an item; false by default. */
  readonly reasonRequired?: boolean;
  /** How replies reach the user: by the handler `send`, or by mail from `from` to the address that `to` gives (`inReplyTo`: the Message-ID before it); null: not at all. */
  readonly reply?:
    | null
    | { readonly via: 'app'; readonly send: ReplyHandler<Item<DataOf<F>>> }
    | { readonly via: 'smtp'; readonly from: string; readonly to: string; readonly inReplyTo?: string };
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
  readonly blocks?: readonly Block<A>[];
  /** Actions that are suggested for the items for which `when` holds. Texts in `input` may hold templates. */
  readonly suggest?: readonly {
    readonly when?: Condition;
    readonly action: A;
    readonly input?: Json;
    readonly reason?: string;
  }[];
  /** Returns further blocks and suggestions for an item's page. */
  readonly detail?: ItemDetail<Item<DataOf<F>>, Occurrence<DataOf<F>>, A>;
}
/**
 * A list of items that people and agents work on. `F` is the type of the schema of its fields, `S` the names of its states;
 * `A` are the names of the actions.
 */
export type Inbox<F = object, S = string, A extends string = AnyName> = InboxMembers<F, A> & InboxStates<S>;

interface ActionMembers<S> {
  /** What people read; the name by default. */
  readonly label?: string;
  /** What it is, for those who find it for the first time; at most 2,000 characters. */
  readonly description?: string;
  /** JSON Schema 2020-12 of the input, at most 64 KiB, with references into itself only; types the handler's `input`. Absent: no input. */
  readonly input?: S;
  /** Null by default. */
  readonly danger?: Danger;
  /** Whether a person has to approve each run; false by default. */
  readonly approval?: boolean | { readonly count?: number; readonly roles?: readonly string[] };
  /** Whether only a person may run it who has signed in within the last 15 minutes; false by default. */
  readonly freshSignIn?: boolean;
  /** Whether agents and persons have to give a reason with each run; false by default. */
  readonly reasonRequired?: boolean;
  /** Whether what it does can be undone, as people read who approve it; null, the default: not said. */
  readonly reversible?: boolean | null;
  /** Whether the caller gets `running` at once instead of waiting up to 10 s for the result; false by default. For long work. */
  readonly background?: boolean;
  /** Whether handling the same run twice is harmless; false by default. Lost runs are retried only when it is true. */
  readonly repeatable?: boolean;
  /** How often a repeatable action is handed over while no answer comes, before its run ends unknown: 1 to 20, 5 by default. */
  readonly attempts?: number;
  /** What happens to a run while no instance of the app is online: it waits (`queue`, the default) or is refused. */
  readonly offline?: 'queue' | 'refuse';
  /** How long a queued run waits for the app, in ms; 1 hour by default, at most 7 days. */
  readonly offlineExpiry?: number;
  /** After how many ms `signal` aborts; 60 s by default, 1 hour for a background action, at most 24 hours. An answer within 60 s more counts. */
  readonly timeout?: number;
  /** For which records and inputs the action applies, over `record` and `input`, and why not for others; all by default. */
  readonly when?: Condition | { readonly if: Condition; readonly otherwise: string };
  /** Fields of the record: when one has changed, an approval ends stale at its decision; none by default. */
  readonly stale?: readonly string[];
  /** What the form is filled with, by member of the input; texts may hold templates such as `{{record.fields.email}}`. */
  readonly defaults?: Json;
}
interface ActionOn<S, N, Rec, I> extends ActionMembers<S> {
  /** The resource whose records the action runs on; none by default. */
  readonly resource: N;
  /** Does the work. See `RunCall` for what makes it safe to call twice. */
  readonly run: RunHandler<InputOf<S>, Rec, I>;
}
interface ActionAlone<S, I> extends ActionMembers<S> {
  readonly resource?: null;
  /** Does the work. See `RunCall` for what makes it safe to call twice. */
  readonly run: RunHandler<InputOf<S>, null, I>;
}
/**
 * Something that people and agents may have the app do. `S` is the type of its input schema, `R` has the lists of fields by
 * resource, `I` is the type of the items that it may be run from.
 */
export type Action<S = unknown, R = AnyName, I = Item> = IfAny<
  R,
  ActionMembers<S> & { readonly resource?: AnyName; readonly run: RunHandler<InputOf<S>, AnyName, I> },
  | ActionAlone<S, I>
  | { readonly [N in keyof R & string]: ActionOn<S, N, RecordOf<FieldsOf<R[N]>>, I> }[keyof R & string]
>;

/** The kind of a flag's values. */
export type FlagKind = 'boolean' | 'string' | 'number' | 'json';
interface FlagOf<K extends FlagKind, V, R extends string> {
  readonly kind: K;
  /** The flag's value until it is changed; at most 32 KiB as JSON. */
  readonly default: V;
  /** The resource whose records' ids are the targeting keys. */
  readonly resource?: R | null;
  /** Whether a person has to approve each change; false by default. */
  readonly approval?: boolean | { readonly count?: number; readonly roles?: readonly string[] };
  /** Null by default. */
  readonly danger?: Danger;
  /** Whether agents and persons have to give a reason with each change; false by default. */
  readonly reasonRequired?: boolean;
  /** What it is, for those who find it for the first time; at most 2,000 characters. */
  readonly description?: string;
}
/** A feature flag; `default` is typed by `kind`. `R` are the names of the resources. */
export type Flag<R extends string = AnyName> =
  | FlagOf<'boolean', boolean, R>
  | FlagOf<'string', string, R>
  | FlagOf<'number', number, R>
  | FlagOf<'json', unknown, R>;

/**
 * Triage of the new items of the inbox of the same name. The first rule whose condition holds applies; when none does,
 * `answer` is called. `F` is the type of the schema of the inbox's fields, `S` the names of its states.
 */
export interface Triage<F = object, S = AnyName> {
  readonly rules?: readonly (Omit<TriageAnswer<StateName<S>>, 'reason' | 'assignee'> & {
    readonly when: Condition;
    readonly assignee?: string;
  })[];
  readonly answer?: TriageHandler<Item<DataOf<F>>, StateName<S>>;
}
