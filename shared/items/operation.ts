/** What an operation is: a value with a name, the verb it needs, its input and a pure decision per item. */
import type { Fault } from '../catalogue/errors.ts';
import type { ActorRef, EntryType } from '../catalogue/events.ts';
import type { StagedJob } from '../catalogue/jobs.ts';
import type { InboxVerb } from '../catalogue/permissions.ts';
import type { Person } from '../access/principal.ts';
import type { Environment, InboxDefinition } from '../environments/definition.ts';
import { compileCheck, type Check } from '../platform/core/validate.ts';
import type { Static, TSchema } from '../platform/core/schema.ts';
import type { Item } from './model.ts';

/** What a decision may know besides the item: the time, who asks, and the environment as it stands now. */
export interface DecisionContext {
  readonly at: number;
  readonly by: ActorRef;
  readonly env: Environment;
  person(id: string): Person | undefined;
  newId(prefix: 'itm' | 'ent' | 'job'): string;
}

/** A timeline entry that a change writes. `id` given: a later status of that entry. */
export interface EntryDraft {
  readonly id?: string;
  readonly type: EntryType;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What happens to one item: its next form (version and updatedAt are set by perform) and what is told of it. */
export interface ItemEffect {
  readonly item: Item;
  readonly entries: readonly EntryDraft[];
  readonly jobs?: readonly StagedJob[];
  /** Users met for the first time, who are counted in the item's `users`. */
  readonly users?: readonly string[];
}

export type ItemDecision = 'unchanged' | Fault | ItemEffect;

export interface ItemOperation<I = unknown> {
  readonly name: `item.${string}`;
  /** null: only the service itself performs it. */
  readonly verb: InboxVerb | null;
  readonly schema: TSchema;
  /** Checks a body: the schema, then what no schema can say. Throws `400 invalid`. */
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

/** Declares an operation on items; its types come from `input`. */
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
