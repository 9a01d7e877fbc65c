/** The types of what a client takes, by what its app declares. An app whose declarations are not known takes any names. For client.ts and flags.ts. */
import type { AppCalls, GivenRecord } from '../app/link/protocol.ts';
import type { AppTypes, Nothing } from './appDeclaration.ts';
import type { AnyName } from './blocks.ts';
import type { FlagKind, GivenFieldsOf } from './declarations.ts';
import type { DataOf } from './schemaTypes.ts';

/** An app whose declarations are not known: assignable to and from any other. */
export type AnyTypes = Readonly<Record<keyof AppTypes, AnyName>>;

type NoneOf<N> = [N] extends [never] ? Nothing : N;

/** The names in `D`; any where it is not known. */
type NameIn<D> = unknown extends D ? string : NoneOf<keyof D & string>;

/** The names of stored resources. `S` has the sources by resource. */
export type StoredIn<S> = unknown extends S
  ? string
  : NoneOf<{ readonly [N in keyof S & string]: 'stored' extends S[N] ? N : never }[keyof S & string]>;

/** A record of the resource `R`. `D` has the lists of fields by resource. */
export type RecordIn<D, R> = R extends keyof D
  ? Omit<GivenRecord, 'fields'> & { readonly fields?: GivenFieldsOf<D[R]> }
  : GivenRecord;

type Report = AppCalls['items.report']['params'];
interface Reference<D> {
  readonly resource: NameIn<D>;
  readonly id: string;
}
/** The `data` of a report, which may be left out where its schema requires nothing. */
type DataIn<F> = Record<never, never> extends DataOf<F> ? { readonly data?: DataOf<F> } : { readonly data: DataOf<F> };
type ReportFor<T extends AppTypes, I> = Omit<Report, 'inbox' | 'record' | 'links' | 'data'> & {
  readonly inbox: I;
  readonly record?: Reference<T['resources']> & Pick<NonNullable<Report['record']>, 'title'>;
  readonly links?: readonly Reference<T['resources']>[];
};
/** What an app may report: for each of its inboxes, with the data that the inbox's schema describes. */
export type ReportIn<T extends AppTypes> = unknown extends T['inboxes']
  ? Report
  : [keyof T['inboxes']] extends [never]
    ? ReportFor<T, Nothing>
    : {
        readonly [I in keyof T['inboxes'] & string]: ReportFor<T, I> & DataIn<T['inboxes'][I]>;
      }[keyof T['inboxes'] & string];

/** The names of flags by their kind, and all of them. */
export type FlagNames = Readonly<Record<FlagKind | 'any', string>>;
export type AnyFlagNames = Readonly<Record<FlagKind | 'any', AnyName>>;

type OfKind<D, K extends FlagKind> = NoneOf<
  { readonly [N in keyof D & string]: K extends D[N] ? N : never }[keyof D & string]
>;
/** The names of an app's flags; any where they are not known. `D` has the kinds by flag. */
export type FlagNamesIn<D> = unknown extends D
  ? AnyFlagNames
  : {
      readonly boolean: OfKind<D, 'boolean'>;
      readonly string: OfKind<D, 'string'>;
      readonly number: OfKind<D, 'number'>;
      readonly json: OfKind<D, 'json'>;
      readonly any: NameIn<D>;
    };
