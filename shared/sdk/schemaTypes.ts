/** The types of the values that JSON Schema literals describe: of actions' inputs and of items' fields. For declarations.ts. */
import type { Json } from '../app/link/protocol.ts';

/** Shows an intersection of objects as one object. */
type Flat<T> = T extends object ? { [K in keyof T]: T[K] } : T;
/** A value of a schema's `const`, `enum` or `default`, which may be changed where the literal itself may not. */
type Loose<T> = T extends readonly unknown[]
  ? Loose<T[number]>[]
  : T extends object
    ? { -readonly [K in keyof T]: Loose<T[K]> }
    : T;

/** The context of a part of a schema: the whole schema, for references, and whether defaults are filled in. */
interface Within {
  readonly root: unknown;
  readonly filled: boolean;
}
type Given<W extends Within> = { readonly root: W['root']; readonly filled: false };

type Properties<S> = S extends { readonly properties: infer P extends object } ? P : Record<never, never>;
type RequiredNames<S> = S extends { readonly required: infer R extends readonly string[] } ? R[number] : never;
type WithDefault<P> = { [K in keyof P]: P[K] extends { readonly default: unknown } ? K : never }[keyof P];
type Present<S, W extends Within> =
  | (RequiredNames<S> & keyof Properties<S>)
  | (W['filled'] extends true ? WithDefault<Properties<S>> : never);

type OtherMembers<S, W extends Within> = S extends { readonly properties: object }
  ? unknown
  : S extends { readonly additionalProperties: infer A extends object }
    ? Readonly<Record<string, ValueIn<A, W>>>
    : Json;
type ObjectOf<S, W extends Within> = Flat<
  { -readonly [K in Present<S, W>]: ValueIn<Properties<S>[K], W> } & {
    -readonly [K in Exclude<keyof Properties<S>, Present<S, W>>]?: ValueIn<Properties<S>[K], W>;
  }
> &
  OtherMembers<S, W>;

type ArrayOf<S, W extends Within> = S extends { readonly prefixItems: infer P extends readonly unknown[] }
  ? { -readonly [I in keyof P]: ValueIn<P[I], W> }
  : S extends { readonly items: infer I }
    ? ValueIn<I, W>[]
    : unknown[];

interface Plain {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly null: null;
}
type OfType<T, S, W extends Within> = T extends keyof Plain
  ? Plain[T]
  : T extends 'object'
    ? ObjectOf<S, W>
    : T extends 'array'
      ? ArrayOf<S, W>
      : unknown;

type Typed<S, W extends Within> = S extends { readonly const: infer C }
  ? Loose<C>
  : S extends { readonly enum: readonly (infer E)[] }
    ? Loose<E>
    : S extends { readonly type: readonly (infer T)[] }
      ? OfType<T, S, W>
      : S extends { readonly type: infer T }
        ? OfType<T, S, W>
        : S extends { readonly properties: object }
          ? ObjectOf<S, W>
          : unknown;

type Any<L, W extends Within> = L extends readonly (infer S)[] ? (S extends unknown ? ValueIn<S, W> : never) : unknown;
type All<L, W extends Within> = L extends readonly [infer S, ...infer Rest] ? ValueIn<S, W> & All<Rest, W> : unknown;

type Named<Root, Group extends string, Name extends string> =
  Root extends Readonly<Record<Group, Readonly<Record<Name, infer S>>>> ? S : unknown;
type Referred<R, Root> = R extends '#'
  ? Root
  : R extends `#/${infer Group extends '$defs' | 'definitions'}/${infer Name}`
    ? Named<Root, Group, Name>
    : unknown;

/** Defaults are filled in everywhere but below `anyOf` and `oneOf`. */
type Composed<S, W extends Within> = (S extends { readonly $ref: infer R }
  ? ValueIn<Referred<R, W['root']>, W>
  : unknown) &
  (S extends { readonly allOf: infer L } ? All<L, W> : unknown) &
  (S extends { readonly anyOf: infer L } ? Any<L, Given<W>> : unknown) &
  (S extends { readonly oneOf: infer L } ? Any<L, Given<W>> : unknown);

type ValueIn<S, W extends Within> = S extends false ? never : Typed<S, W> & Composed<S, W>;

/** A schema that is known as a literal: with one of the keywords that types are made of. */
type Known =
  | { readonly type: unknown }
  | { readonly properties: object }
  | { readonly $ref: string }
  | { readonly allOf: readonly unknown[] }
  | { readonly anyOf: readonly unknown[] }
  | { readonly oneOf: readonly unknown[] };

type ValueOf<S, Filled extends boolean> = unknown extends S
  ? Json
  : S extends Known
    ? Flat<ValueIn<S, { readonly root: S; readonly filled: Filled }>>
    : Json;

/**
 * The type of an action's input by its JSON Schema, as the handler gets it: members with a `default` are there. Any object
 * when the schema is not known as a literal.
 */
export type InputOf<S> = ValueOf<S, true>;
/** The type of the values that a JSON Schema describes, as they are given: members with a `default` may be left out. */
export type DataOf<S> = ValueOf<S, false>;
