/** The types of blocks: what an app declares or returns to be shown. docs/manifest.md has their limits. For declarations.ts and handlers.ts. */
import type { Json } from '../app/link/protocol.ts';

/** How a value is shown. `time` is in ms since 1970 UTC. */
export type ValueType = 'text' | 'number' | 'money' | 'time' | 'date' | 'boolean' | 'link' | 'person';
/** Any name: for parts of an app that are declared by themselves, where the names of the others are not known. */
// oxlint-disable-next-line typescript/no-explicit-any -- assignable to the names of whichever app the part becomes part of
export type AnyName = any;
/** `Then` for `AnyName`, else `Else`. */
export type IfAny<T, Then, Else> = 0 extends 1 & T ? Then : Else;

type Value = string | number | boolean | null | undefined;

type Heading = {
  /** Null: none. */
  readonly title?: string | null;
};

export type Column = {
  readonly name: string;
  /** What people read; the name by default. */
  readonly label?: string;
  /** `text` by default. */
  readonly type?: ValueType;
};

/** The members of each type of block, beside its type and title. `A` are the names of the actions. */
export interface BlockMembers<A extends string = AnyName> {
  readonly text: {
    readonly text: string;
    /** true: no Markdown. */
    readonly plain?: boolean;
  };
  readonly fields: {
    readonly fields: readonly { readonly label: string; readonly value?: Value; readonly type?: ValueType }[];
  };
  readonly stat: {
    readonly value?: number | string | null;
    readonly unit?: string | null;
    /** Against before. */
    readonly change?: number | null;
  };
  readonly table: {
    readonly columns: readonly Column[];
    /** A member for each column. */
    readonly rows: readonly Readonly<Record<string, Value>>[];
  };
  readonly chart: {
    readonly kind: 'line' | 'bar';
    readonly series: readonly {
      readonly name: string;
      /** x, a number or a text, and its number. */
      readonly points: readonly (readonly [number | string, number])[];
    }[];
  };
  /** The service shows those that the reader sees. */
  readonly items: { readonly items: readonly { readonly id: string }[] };
  readonly record: {
    readonly record: {
      readonly resource: string;
      readonly id: string;
      readonly title: string;
      readonly subtitle?: string | null;
      readonly fields?: Json;
      readonly updatedAt?: number | null;
    };
  };
  readonly actions: {
    readonly actions: readonly {
      readonly action: A;
      /** What people read; the action's name by default. */
      readonly label?: string;
      /** The id of the record to run it on, exactly when the action takes one. */
      readonly record?: string | null;
      /** What to fill its form with. */
      readonly input?: Json;
    }[];
  };
  readonly link: { /** http, https or mailto. */ readonly url: string; readonly label?: string };
  readonly error: { readonly error: string; readonly code?: string };
}

/**
 * A piece of a page, of a detail or of a run's result. `A` are the names of the actions.
 *
 * @example
 * { type: 'stat', title: 'Open orders', value: 12, unit: 'orders' }
 */
export type Block<A extends string = AnyName> = {
  readonly [T in keyof BlockMembers<A>]: { readonly type: T } & Heading & BlockMembers<A>[T];
}[keyof BlockMembers];
