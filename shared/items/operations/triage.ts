/** Stores triage's answers and applies their consequences: closing, another state, tags, an assignee. */
import { isDeepStrictEqual } from 'node:util';
import type { ItemTriage, TriageAnswer } from '../../app/items/members.ts';
import type { InboxDefinition } from '../../app/manifest/definition.ts';
import { Fault, fault, invalidAt } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { nameSchema, nullable, strictObject, tagSchema, Type } from '../../platform/json/schema.ts';
import { stateEntryProblem, withState } from '../inboxRules.ts';
import type { Item } from '../model.ts';
import {
  defineItemOperation,
  type DecisionContext,
  type EntryDraft,
  type ItemDecision,
  type ItemOperation,
} from '../operation.ts';
import { changeTags } from '../tags.ts';
import { assigneeProblem } from './assign.ts';

export interface TriageInput {
  answers: Record<string, unknown>;
  close?: boolean;
  state?: string;
  tags?: string[];
  assignee?: string | null;
  reason?: string;
}

const questionMax = 200;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const sameAnswer = (known: TriageAnswer | undefined, answer: unknown): boolean =>
  known !== undefined && isDeepStrictEqual(known.answer, answer);

/** Returns the item's answers with the new ones, which replace earlier answers to the same questions. */
const withAnswers = (
  triage: ItemTriage | null,
  answers: Record<string, unknown>,
  { by, at }: DecisionContext,
): readonly TriageAnswer[] => {
  const known = triage?.answers ?? [];
  const kept = known.filter(
    ({ question, answer }) =>
      !Object.hasOwn(answers, question) || sameAnswer({ question, answer, by, at }, answers[question]),
  );
  const fresh = Object.entries(answers)
    .filter(
      ([question, answer]) =>
        !sameAnswer(
          known.find((other) => other.question === question),
          answer,
        ),
    )
    .map(([question, answer]) => ({ question, answer, by, at }));
  return [...kept, ...fresh];
};

const decideState = (item: Item, inbox: InboxDefinition, { close, state }: TriageInput): string | null | Fault => {
  const first = inbox.states.find((known) => known.kind === 'closed')?.name;
  if (close === true && first === undefined && !item.closed)
    return fault('conflict', `The inbox ${inbox.name} has no closed state.`);
  const wanted = close === true ? (item.closed ? item.state : (first ?? item.state)) : (state ?? item.state);
  if (wanted === item.state) return null;
  return stateEntryProblem(item, inbox, wanted) ?? wanted;
};

const decide = (item: Item, inbox: InboxDefinition, input: TriageInput, moment: DecisionContext): ItemDecision => {
  const state = decideState(item, inbox, input);
  if (state instanceof Fault) return state;
  const tags = changeTags(item.tags, input.tags ?? [], []);
  if (tags instanceof Fault) return tags;
  const assignee = input.assignee === undefined ? item.assignee : input.assignee;
  const problem =
    assignee === null || assignee === item.assignee
      ? null
      : assigneeProblem(moment.person(assignee), moment.env, inbox.name);
  if (problem !== null) return problem;

  const moved = state === null ? item : withState(item, inbox, state, moment.at);
  const closes = moved.closed && (input.close === true || input.state !== undefined);
  const answers = withAnswers(item.triage, input.answers, moment);
  if (bytesOf(Object.fromEntries(answers.map(({ question, answer }) => [question, answer]))) > limits.dataBytes) {
    return invalidAt('answers', `an item holds at most ${String(limits.dataBytes / 1024)} KiB of answers`);
  }
  const entries: EntryDraft[] = [
    { type: 'triage', data: { answers: input.answers, closed: closes, reason: input.reason ?? null } },
  ];
  if (state !== null) entries.push({ type: 'state', data: { from: item.state, to: state } });
  if (tags.add.length > 0) entries.push({ type: 'tags', data: { add: tags.add, remove: [] } });
  if (assignee !== item.assignee) entries.push({ type: 'assigned', data: { from: item.assignee, to: assignee } });
  const answered =
    answers.length !== (item.triage?.answers.length ?? 0) ||
    answers.some((answer, i) => answer !== item.triage?.answers[i]);
  const triaged = closes || moved.triaged;
  if (entries.length === 1 && !answered && triaged === item.triaged) return 'unchanged';
  return {
    item: {
      ...moved,
      tags: tags.tags,
      assignee,
      triaged,
      triage: { answers, closed: closes || (moved.closed && (item.triage?.closed ?? false)) },
    },
    entries,
  };
};

export const triageItem = defineItemOperation({
  name: 'item.triage',
  verb: 'triage',
  input: strictObject({
    answers: Type.Unsafe<Record<string, unknown>>(
      Type.Object({}, { description: `Question (1 to ${String(questionMax)} characters) → answer.` }),
    ),
    close: Type.Optional(Type.Boolean({ description: 'Close it: the inbox’s first closed state.' })),
    state: Type.Optional(nameSchema('The state to enter; not together with close.')),
    tags: Type.Optional(Type.Array(tagSchema, { maxItems: limits.tagsPerItem, description: 'Tags to add.' })),
    assignee: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 100, description: 'A person’s id.' }))),
    reason: Type.Optional(Type.String({ maxLength: 2000, description: 'Why, for people who read the timeline.' })),
  }),
  validate: (input) => {
    if (input.close === true && input.state !== undefined)
      throw invalidAt('state', 'can’t be given together with close');
    if (bytesOf(input.answers) > limits.dataBytes)
      throw invalidAt('answers', `must be at most ${String(limits.dataBytes / 1024)} KiB`);
    const wrong = Object.keys(input.answers).find((question) => question === '' || question.length > questionMax);
    if (wrong !== undefined)
      throw invalidAt(
        `answers.${wrong.slice(0, questionMax)}`,
        `must have a question of 1 to ${String(questionMax)} characters`,
      );
  },
  decide,
});

/**
 * Triage as the triage job performs it: only on items without answers, so that it has one effect however often the job
 * runs, and never replaces the answers of a person or an agent. A closed item keeps its state; closing only marks it as triaged.
 */
export const triageFirst: ItemOperation<TriageInput> = {
  ...triageItem,
  decide: (item, inbox, input, moment) => {
    if (item.triage !== null) return 'unchanged';
    const { state, ...stateless } = input;
    if (state === undefined || !item.closed) return decide(item, inbox, input, moment);
    return decide(item, inbox, { ...stateless, close: inbox.isClosed(state) }, moment);
  },
};
