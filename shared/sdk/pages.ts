/** The types of the pages that an app declares. docs/manifest.md says which source makes which blocks. For appDeclaration.ts. */
import type { Json } from '../app/link/protocol.ts';
import type { AnyName, Block, BlockMembers, Column } from './blocks.ts';
import type { LoadBlock } from './handlers.ts';

/** The names of what an app declares. */
export interface Names {
  readonly resource: string;
  readonly inbox: string;
  readonly state: string;
  readonly view: string;
  readonly action: string;
}
type AnyNames = { readonly [K in keyof Names]: AnyName };

/** A text with a template, whose value is known at the request. */
type Template = `${string}{{${string}}}${string}`;
type NameOf<N extends string> = N | Template;
/** A number, or a parameter that holds one as text. */
type NumberOf = number | Template;

type Heading = { readonly title?: string | null };
interface ItemsQuery<N extends Names> {
  readonly view?: NameOf<N['view']>;
  readonly inbox?: NameOf<N['inbox']>;
  /** Comma-separated; so are `tags`. */
  readonly state?: string;
  readonly tags?: string;
  readonly assignee?: string;
  /** `<resource>:<id>`. */
  readonly record?: string;
  /** Milliseconds since 1970 UTC. */
  readonly createdAfter?: NumberOf;
  readonly createdBefore?: NumberOf;
  readonly seenAfter?: NumberOf;
  readonly seenBefore?: NumberOf;
  readonly search?: string;
  readonly q?: string;
  /** Values of fields by their names, at most five; numbers and booleans as texts. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly overdue?: string;
  readonly triaged?: string;
  readonly snoozed?: string;
  readonly sort?: string;
  readonly limit?: NumberOf;
}
interface CountsQuery<N extends Names> {
  readonly inbox?: NameOf<N['inbox']>;
  readonly count?: NameOf<
    | 'total'
    | 'active'
    | 'activeUnassigned'
    | 'activeOverdue'
    | 'unassigned'
    | 'snoozed'
    | 'triaged'
    | 'overdue'
    | 'open'
    | 'waiting'
    | 'closed'
  >;
  readonly state?: NameOf<N['state']>;
}
interface RecordsQuery<N extends Names> {
  readonly resource: NameOf<N['resource']>;
  readonly q?: string;
  readonly filters?: Json;
  readonly sort?: string;
  readonly limit?: NumberOf;
}

/** A block that the service fills, with the rights of the caller. */
type SourceBlock<N extends Names> = Heading &
  (
    | { readonly type: 'items' | 'stat'; readonly source: 'items'; readonly query?: ItemsQuery<N> }
    | { readonly type: 'stat'; readonly source: 'counts'; readonly query?: CountsQuery<N> }
    | {
        readonly type: 'table';
        readonly source: 'counts';
        readonly query?: CountsQuery<N>;
        readonly columns?: readonly Column[];
      }
    | {
        readonly type: 'record';
        readonly source: 'records';
        readonly query: { readonly resource: NameOf<N['resource']>; readonly id: string };
      }
    | {
        readonly type: 'table';
        readonly source: 'records';
        readonly query: RecordsQuery<N>;
        readonly columns?: readonly Column[];
      }
    | { readonly type: 'table'; readonly source: 'flags'; readonly columns?: readonly Column[] }
  );

/** A block that the app fills. */
type LoadedBlock<A extends string> = {
  readonly [T in keyof BlockMembers]: Heading & {
    readonly type: T;
    readonly source?: never;
    readonly load: LoadBlock<T, A>;
  } & Partial<BlockMembers<A>[T]>;
}[keyof BlockMembers];

/**
 * A block of a page: with `source` (`'items'`, `'records'`, `'counts'` or `'flags'`) the service fills it with the rights
 * of the caller, with `load` the app fills it, with neither it is shown as it stands.
 */
export type PageBlock<N extends Names = AnyNames> =
  | (Block<N['action']> & { readonly source?: never; readonly load?: never })
  | (SourceBlock<N> & { readonly load?: never })
  | LoadedBlock<N['action']>;

/** A page of blocks. Texts of its blocks may hold templates such as `{{params.region}}`. */
export interface Page<N extends Names = AnyNames> {
  /** What people read; the name by default. */
  readonly label?: string;
  /** What it is, for those who find it for the first time; at most 2,000 characters. */
  readonly description?: string;
  /** What the page is asked for with; at most 50. */
  readonly params?: readonly { readonly name: string; readonly description?: string; readonly required?: boolean }[];
  /** At most 100. */
  readonly blocks: readonly PageBlock<N>[];
}
