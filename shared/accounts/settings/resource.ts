/**
 * What a settings resource is: one row that says what it looks like, by which verbs it is read and changed, which of them need a
 * fresh sign-in, and what the documents say of it. Rows such as roles.ts are served by api/routes/settings/endpoints.ts.
 */
import type { Config } from '../../platform/config/config.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { Type, type Static, type TObject, type TProperties, type TSchema } from '../../platform/json/schema.ts';
import type { Administrator } from './adminChange.ts';

/** Where a verb is called. */
export interface ResourcePlace {
  readonly db: Db;
  readonly config: Pick<Config, 'openId' | 'passwordSignIn' | 'publicUrl' | 'smtpUrl'>;
  /** The number of the environment of the call, and its name. */
  readonly envId: number;
  readonly here: string;
  /** Names of the environments that the caller has access to, or `*`. */
  readonly reach: readonly string[];
}

/** Returns the address of an environment for its clients. */
export const environmentAddress = (
  { config }: { readonly config: Pick<Config, 'publicUrl'> },
  environment: string,
): string => `${config.publicUrl}/api/env/${environment}`;

export interface ResourceCall<B> extends ResourcePlace {
  /** The person who calls. */
  readonly caller: string;
  /** The id in the path; empty where one is made. */
  readonly id: string;
  readonly body: B;
}

interface VerbTexts {
  /** The name of the operation, by which clients call it. */
  readonly id: string;
  readonly summary: string;
  readonly description: string;
}

interface Page {
  readonly page: readonly object[];
  /** The key that the next page comes after; null: there is none. */
  readonly next: string | null;
}

/** A list is short and answered by name, or long, with filters, and answered in the order of its keys. */
type ListVerb = VerbTexts &
  (
    | {
        /** Returns all that the caller may see. */
        find(place: ResourcePlace): Promise<readonly { readonly name: string; readonly id?: string }[]>;
      }
    | {
        readonly filters: TProperties;
        readonly example: Readonly<Record<string, unknown>>;
        findPage(
          place: ResourcePlace,
          asked: { readonly filters: Row; readonly after: string | null; readonly limit: number },
        ): Promise<Page>;
      }
  );

type Row = Readonly<Record<string, unknown>>;

interface ChangeVerb<B> extends VerbTexts {
  /** Which calls need a fresh sign-in: all, none, or those that change other members than these. */
  readonly fresh: 'always' | 'never' | { readonly unlessOnly: readonly string[] };
  /** A body, for the documents; absent: an empty one. */
  readonly example?: object;
  /** Members of the answer beside the resource. */
  readonly answers?: TProperties;
  /** Members of the answer that are told once: a repeat of the call has null. */
  readonly once?: readonly string[];
  /** Returns the body that `run` gets, before the transaction: for what takes long, and for checks that need no row. */
  prepare?(call: ResourceCall<B>): Promise<object>;
  /** Makes the change in a transaction, audits it, and returns the answer, where there is one. */
  run(tx: Tx, admin: Administrator, call: ResourceCall<B>): Promise<object | void>;
}

interface EndVerb extends ChangeVerb<object> {
  readonly verb: 'delete' | 'revoke';
}

/** A verb that only this resource has: `POST` to its word, behind the id. */
export interface OwnVerb extends ChangeVerb<never> {
  /** Absent: it has no members. */
  readonly body?: TObject;
  readonly status: 200 | 201;
  /** Absent: that of the other examples. */
  readonly exampleId?: string;
}

interface ResourceRow<I extends TObject, P extends TObject> {
  /** The word for one: the type of audited targets, the first part of verbs, and the member of answers. */
  readonly type: string;
  /** The word for several: the member of the list. */
  readonly plural: string;
  readonly path: string;
  /** The member that names one in paths; absent: `id`. */
  readonly key?: 'id' | 'name';
  readonly exampleId: string;
  /** The schema of one resource in answers. */
  readonly view: TObject;
  /** The schemas that have a name in the documents, with what they are. */
  readonly components: Readonly<Record<string, readonly [schema: TSchema, description: string]>>;
  readonly list: ListVerb;
  readonly create?: ChangeVerb<Static<I>> & { readonly body: I };
  readonly update?: ChangeVerb<Static<P>> & { readonly body: P };
  readonly end?: EndVerb;
  readonly own?: Readonly<Record<string, OwnVerb>>;
}

export type Resource = ResourceRow<TObject, TObject>;

/** Returns the row of a resource, whose verbs take what its schemas describe. */
export const resource = <I extends TObject, P extends TObject>(row: ResourceRow<I, P>): Resource => row;

/** Returns the schema of a change: any part of what one is made with. */
export const patchOf = <P extends TProperties>(input: TObject<P>) =>
  Type.Partial(input, { additionalProperties: false, minProperties: 1 });
