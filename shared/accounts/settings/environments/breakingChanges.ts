/**
 * Finds what a new definition breaks for what waits: inputs of pending approvals and queued runs that are not valid any more, and fields
 * of items that are of another type than is declared now. For defineEnvironment.ts.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Definition } from '../../../app/manifest/definition.ts';
import { findNarrowings, type Narrowing } from '../../../app/manifest/rules/narrowing.ts';
import { Budget, TooLargeError } from '../../../app/manifest/rules/places.ts';

interface BreakingChange {
  /** With the place, such as `action refund: input.ticket`. */
  readonly name: string;
  /** For the developers of the app. */
  readonly sentence: string;
}

/** Changes of one definition that are told. */
const changesMax = 100;
/** Characters of a path, or of a value, in a sentence. */
const shownMax = 100;

const cut = (text: string): string => (text.length <= shownMax ? text : `${text.slice(0, shownMax).toWellFormed()}…`);

const typesText = (types: readonly string[]): string => (types.length === 0 ? 'nothing' : types.join(' or '));

const waiting = (which: string): string => `approvals and queued runs ${which} will be stale or fail.`;

const inputSentence = (action: string, narrowing: Narrowing): string => {
  const { what } = narrowing;
  const path = cut(narrowing.path);
  const input = `${action}’s input`;
  switch (what) {
    case 'required':
      return `${input} requires ${path} now: ${waiting('without it')}`;
    case 'refused':
      return `${input} refuses ${path} now: ${waiting('with it')}`;
    case 'closed':
      return `${input} refuses members ${path === '' ? '' : `of ${path} `}that it does not declare now: ${waiting('with others')}`;
    case 'type':
      return `${input} takes ${path} as ${typesText(narrowing.to)} now, no more as ${typesText(narrowing.from)}: ${waiting('that have it so')}`;
    case 'limits': {
      const limits = narrowing.limits
        .map(({ keyword, value }) => `${keyword} ${cut(JSON.stringify(value))}`)
        .join(', ');
      return `${input} limits ${path} more strictly now (${limits}): ${waiting('with other values')}`;
    }
  }
};

/** Yields what is broken of the actions that both definitions have, by their inputs as they are in force. */
function* brokenInputs(before: Definition, after: Definition, budget: Budget): Generator<BreakingChange> {
  const declared = new Map((before.manifest.actions ?? []).map(({ name, input }) => [name, input]));
  for (const { name, input } of after.manifest.actions ?? []) {
    const [former, action] = [before.actions.get(name), after.actions.get(name)];
    if (former === undefined || action === undefined || isDeepStrictEqual(declared.get(name), input)) continue;
    for (const narrowing of findNarrowings(former.input, action.input, budget))
      yield {
        name: `action ${name}: ${narrowing.path === '' ? 'input' : `input.${cut(narrowing.path)}`}`,
        sentence: inputSentence(name, narrowing),
      };
  }
}

/** Yields the fields of inboxes of which items may hold values of a type that is not declared any more. */
function* brokenFields(before: Definition, after: Definition, budget: Budget): Generator<BreakingChange> {
  for (const { name } of after.manifest.inboxes ?? []) {
    const [former, inbox] = [before.inboxes.get(name), after.inboxes.get(name)];
    if (former === undefined || inbox === undefined) continue;
    for (const narrowing of findNarrowings(former.fields, inbox.fields, budget)) {
      if (narrowing.what !== 'type') continue;
      const path = cut(narrowing.path);
      yield {
        name: `inbox ${name}: fields.${path}`,
        sentence: `The field ${path} of the inbox ${name} is ${typesText(narrowing.to)} now, no more ${typesText(narrowing.from)}: items that have it so keep it.`,
      };
    }
  }
}

const tooLarge: BreakingChange = {
  name: 'inputs and fields: too large to compare',
  sentence:
    'The inputs and fields that have changed are too large to be compared all: others of them may break what waits.',
};

/** Returns what a new definition breaks, for `warnings` and for the dry run. */
export const breakingChanges = (before: Definition, after: Definition): BreakingChange[] => {
  const budget = new Budget();
  const found: BreakingChange[] = [];
  try {
    for (const find of [brokenInputs, brokenFields])
      for (const change of find(before, after, budget)) {
        found.push(change);
        if (found.length === changesMax) return found;
      }
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error;
    found.push(tooLarge);
  }
  return found;
};
