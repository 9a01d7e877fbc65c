/** Item operations: values with a name, the verb that they need, an input and a pure decision per item. Declared in operations/, applied by perform/. */
import type { Person } from '../accounts/access/principal.ts';
import type { Environment, InboxDefinition } from '../app/manifest/definition.ts';
import { Fault } from '../catalogue/errors.ts';
import type { ActorRef, EntryType } from '../catalogue/events.ts';
import type { StagedJob } from '../catalogue/jobs.ts';
import type { InboxVerb } from '../catalogue/permissions.ts';
import type { Static, TSchema } from '../platform/json/schema.ts';
import { compileCheck, type Check } from '../platform/json/validate.ts';
import type { Item } from './model.ts';
import type { Occurrence } from './occurrences/occurrences.ts';

/** The context of a decision besides the item: the time, the actor, and the environment's present definition. */
export interface DecisionContext {
  readonly at: number;
  readonly by: ActorRef;
  readonly env: Environment;
  person(id: string): Person | undefined;
  agent(id: string): Person | undefined;
  /** Returns whether another agent's reply to the item is on its way, when an agent replies. */
  isAnswered(item: string): boolean;
  /** Returns whether the resource is declared and the caller sees it. */
  seesResource(name: string): boolean;
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

/** What the caller's role needs: a verb, or those that the input makes necessary; null: only the service itself performs the operation. */
type NeededVerb<I> = InboxVerb | null | ((input: I) => readonly InboxVerb[]);

/** Returns what the steps come to when each decides about the item as the one before leaves it; the first fault, if there is one. */
export const decideInTurn = (item: Item, steps: readonly ((present: Item) => ItemDecision)[]): ItemDecision => {
  let next = item;
  const entries: EntryDraft[] = [];
  for (const step of steps) {
    const change = step(next);
    if (change instanceof Fault) return change;
    if (change === 'unchanged') continue;
    next = change.item;
    entries.push(...change.entries);
  }
  return entries.length === 0 ? 'unchanged' : { item: next, entries };
};

export interface ItemOperation<I = unknown> {
  readonly name: `item.${string}`;
  readonly verb: NeededVerb<I>;
  readonly schema: TSchema;
  /** Checks a body against the schema and the rules that a schema can't express. Throws `invalid`. */
  readonly check: (body: unknown, at: number) => I;
  readonly decide: (item: Item, inbox: InboxDefinition, input: I, moment: DecisionContext) => ItemDecision;
  /** Whether an inbox may demand a reason for an input. */
  readonly needsReason: (input: I) => boolean;
}

interface OperationDeclaration<S extends TSchema> {
  readonly name: `item.${string}`;
  readonly verb: NeededVerb<Static<S>>;
  readonly input: S;
  readonly validate?: (input: Static<S>, at: number) => void;
  /** true for every input, unless it is given. */
  readonly needsReason?: (input: Static<S>) => boolean;
  readonly decide: (item: Item, inbox: InboxDefinition, input: Static<S>, moment: DecisionContext) => ItemDecision;
}

/** Returns an operation whose input type is that of the schema `input`. */
export const defineItemOperation = <S extends TSchema>({
  name,
  verb,
  input,
  validate,
  needsReason = () => true,
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
    needsReason,
  };
};

/** An operation with its input bound, so that operations of different inputs have one type. */
export type BoundOperation = ItemOperation<null>;

/** Returns the operation with an input that it has checked. */
export const bindInput = <I>(operation: ItemOperation<I>, input: I): BoundOperation => {
  const { verb, needsReason } = operation;
  return {
    ...operation,
    needsReason: () => needsReason(input),
    verb: typeof verb === 'function' ? () => verb(input) : verb,
    check: () => null,
    decide: (item, inbox, _input, moment) => operation.decide(item, inbox, input, moment),
  };
};
