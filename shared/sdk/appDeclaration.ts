/** The type of a whole app, in which each name refers to what is declared: what `defineApp` takes and makes types from. */
import type { Action, Flag, FlagKind, InboxMembers, InboxStates, Resource, StateName, Triage } from './declarations.ts';
import type { Item } from './handlers.ts';
import type { Names, Page } from './pages.ts';
import type { DataOf } from './schemaTypes.ts';
import type { View } from './views.ts';

/** Where no name is declared, what stands in the compiler's message. */
export type Nothing = 'nothing of the kind is declared';
/** The names in `T`. */
type Keys<T> = NoInfer<[keyof T] extends [never] ? Nothing : keyof T & string>;

/** The items of all inboxes, told apart by `inbox`. `F` has the schemas of fields by inbox. */
type ItemOf<F> = [keyof F] extends [never]
  ? Item
  : { readonly [I in keyof F & string]: Item<DataOf<F[I]>, I> }[keyof F & string];

interface NamesOf<R, S, V, A> extends Names {
  readonly resource: Keys<R>;
  readonly inbox: Keys<S>;
  readonly state: NoInfer<{ readonly [I in keyof S]: StateName<S[I]> }[keyof S]>;
  readonly view: Keys<V>;
  readonly action: Keys<A>;
}

/**
 * What `defineApp` takes. The keys are the names. By name, `R` has the lists of fields of resources, `F` the schemas of
 * fields of inboxes, `S` the names of states of inboxes, `V` the lists of states of views, `A` the input schemas of actions,
 * `G` the kinds of flags, `P` the sources of resources.
 */
export interface AppDeclaration<R, F, S, V, A, G = Readonly<Record<string, FlagKind>>, P = unknown> {
  readonly resources?: { readonly [K in keyof R]: Resource<R[K], Keys<R>, Keys<A>> } & {
    readonly [K in keyof P]: { readonly source: P[K] };
  };
  /** The second part names `detail` too, as nothing tells the names of inboxes that have no other member. */
  readonly inboxes?: { readonly [K in keyof F]: InboxMembers<F[K], Keys<A>> } & {
    readonly [K in keyof S]: InboxStates<S[K]> & { readonly detail?: unknown };
  };
  readonly views?: { readonly [K in keyof V]: View<V[K], NoInfer<S>> };
  readonly actions?: { readonly [K in keyof A]: Action<A[K], NoInfer<R>, ItemOf<NoInfer<F>>> };
  readonly pages?: Readonly<Record<string, Page<NamesOf<R, S, V, A>>>>;
  readonly flags?: { readonly [K in keyof G]: Flag<Keys<R>> & { readonly kind: G[K] } };
  readonly triage?: { readonly [K in keyof NoInfer<F>]?: Triage<F[K], NoInfer<S[K & keyof S]>> };
}

/** What an app has declared, as types: for `connect` and `testApp`. */
export interface AppTypes {
  /** The lists of fields by resource. */
  readonly resources: unknown;
  /** The sources by resource. */
  readonly sources: unknown;
  /** The schemas of fields by inbox. */
  readonly inboxes: unknown;
  /** The input schemas by action. */
  readonly actions: unknown;
  /** The kinds by flag. */
  readonly flags: unknown;
}
