/** The type of the views that an app declares. For appDeclaration.ts. */
import type { AnyName, IfAny } from './blocks.ts';
import type { StateName } from './declarations.ts';

/** The text `T` when it is a comma-separated list of `Known` names; else `Known`, for the compiler to name. */
type ListOf<T, Known extends string> = T extends `${infer First},${infer Rest}`
  ? First extends Known
    ? `${First},${ListOf<Rest, Known> & string}`
    : Known
  : T extends Known
    ? T
    : Known;
type EveryState<S> = { readonly [I in keyof S]: StateName<S[I]> }[keyof S];

interface ViewMembers {
  /** What people read; the name by default. */
  readonly label?: string;
  /** What it is, for those who find it for the first time; at most 2,000 characters. */
  readonly description?: string;
  /** Tags, comma-separated: items that have all of them. */
  readonly tags?: string;
  /** Priorities, comma-separated: items of any of them. */
  readonly priority?: string;
  /** `none`, `me` or people's ids, comma-separated: items that any of them has. */
  readonly assignee?: string;
  /** `<resource>:<id>`: items of this record, or with a link to it. */
  readonly record?: string;
  /** Times in milliseconds since 1970 UTC, from the first on and before the second. */
  readonly createdAfter?: number;
  readonly createdBefore?: number;
  readonly seenAfter?: number;
  readonly seenBefore?: number;
  /** Words of the title. */
  readonly search?: string;
  /** Words of the title, fields, occurrences, notes or replies. */
  readonly q?: string;
  /** Values of fields by their names, at most five; numbers and booleans as texts. */
  readonly fields?: Readonly<Record<string, string>>;
  /** `'1'`: only those past their deadline; `'0'`: only the others. The same for `triaged` and `snoozed`. */
  readonly overdue?: '0' | '1';
  readonly triaged?: '0' | '1';
  readonly snoozed?: '0' | '1';
  /** A leading `-` means descending; `-lastSeen` by default. */
  readonly sort?: `${'' | '-'}${'lastSeen' | 'firstSeen' | 'occurrences' | 'users' | 'title' | 'due' | 'priority'}`;
}
interface ViewStates<T, S extends string> {
  /** States, comma-separated: items in any of them. */
  readonly state?: T & ListOf<T, S>;
}
/**
 * A filter of `GET /items` under a name; its members are written as in that query. `T` is its list of states, `S` the names
 * of states by inbox.
 */
export type View<T = AnyName, S = AnyName> = ViewMembers &
  IfAny<
    S,
    { readonly inbox?: AnyName; readonly state?: T },
    | ({ readonly inbox?: never } & ViewStates<T, EveryState<S>>)
    | { readonly [I in keyof S & string]: { readonly inbox: I } & ViewStates<T, StateName<S[I]>> }[keyof S & string]
  >;
