/** Item operations: values with a name, the verb that they need, an input and a pure decision per item. Declared in operations/, applied by perform/. */
import type { Person } from '../access/principal.ts';
import type { Fault } from '../catalogue/errors.ts';
import type { ActorRef, EntryType } from '../catalogue/events.ts';
import type { StagedJob } from '../catalogue/jobs.ts';
import type { InboxVerb } from '../catalogue/permissions.ts';
import type { Environment, InboxDefinition } from '../environments/definition.ts';
import type { Static, TSchema } from '../platform/core/schema.ts';
import { compileCheck, type Check } from '../platform/core/validate.ts';
import type { Item } from './model.ts';
import type { Occurrence } from './occurrences.ts';

/** The context of a decision besides the item: the time, the actor, and the environment's present definition. */
export interface DecisionContext {
  readonly at: number;
  readonly by: ActorRef;
  readonly env: Environment;
  person(id: string): Person | undefined;
  newId(prefix: 'itm' | 'ent' | 'job' | 'occ'): string;
}

/** A timeline entry that a change writes. `id`: chosen by the decision when something else refers to the entry; else perform makes one. */
export interface EntryDraft {
  readonly id?: string;
  /** Of an entry that exists: when and by whom it was written. It gets other data. */
  readonly original?: { readonly at: number; readonly actor: ActorRef };
  readonly type: EntryType;
  readonly data: Readonly<Record<string, unknown>>;
  /** The data as readers get it, as JSON text, where `data` refers to a part of it that is stored elsewhere. */
  readonly shownData?: string;
}

/** An occurrence that a change writes. */
export interface OccurrenceDraft extends Occurrence {
  /** JSON text. */
  readonly data: string;
  /** Whether the item may now have more occurrences than its inbox keeps. */
  readonly overflow: boolean;
}

/** The effect on one item: its next form, whose version and updatedAt perform sets, its timeline entries and jobs. */
export interface ItemEffect {
  readonly item: Item;
  readonly entries: readonly EntryDraft[];
  readonly jobs?: readonly StagedJob[];
  /** Affected users whom the item has not counted yet. */
  readonly users?: readonly string[];
  /** Only of creations and occurrences. */
  readonly occurrences?: readonly OccurrenceDraft[];
}

export type ItemDecision = 'unchanged' | Fault | ItemEffect;

export interface ItemOperation<I = unknown> {
  readonly name: `item.${string}`;
  /** The verb that the caller's role needs; null: only the service itself performs the operation. */
  readonly verb: InboxVerb | null;
  readonly schema: TSchema;
  /** Checks a body against the schema and the rules that a schema can't express. Throws `invalid`. */
  readonly check: (body: unknown, at: number) => I;
  readonly decide: (item: Item, inbox: InboxDefinition, input: I, moment: DecisionContext) => ItemDecision;
}

interface OperationDeclaration<S extends TSchema> {
  readonly name: `item.${string}`;
  readonly verb: InboxVerb | null;
  readonly input: S;
  readonly validate?: (input: Static<S>, at: number) => void;
  readonly decide: (item: Item, inbox: InboxDefinition, input: Static<S>, moment: DecisionContext) => ItemDecision;
}

/** Returns an operation whose input type is that of the schema `input`. */
export const defineItemOperation = <S extends TSchema>({
  name,
  verb,
  input,
  validate,
  decide,
}: OperationDeclaration<S>): ItemOperation<Static<S>> => {
  const typed: Check<Static<S>> = compileCheck(input);
  return {
    name,
    verb,
    schema: input,
    check: (body, at) => {
      const value = typed(body);
      validate?.(value, at);
      return value;
    },
    decide,
  };
};
