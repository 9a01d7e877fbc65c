/** Formats loosenings: as warnings for the declaring app, and as names for the audit log. Used by defineEnvironment.ts. */
import type { Manifest } from '../../../app/manifest/manifest.ts';
import type { RuleType } from '../../../app/manifest/rules/rules.ts';
import type { LooseningNote } from './ruleStore.ts';

/** Warnings of one answer: nobody reads more at once. */
const warningsMax = 100;
/** Characters of a value in a sentence. */
const valueMax = 100;

const kindOf = { action: 'actions', flag: 'flags', inbox: 'inboxes' } as const satisfies Record<RuleType, string>;

const shown = (value: unknown): string => {
  const text = JSON.stringify(value);
  return text.length <= valueMax ? text : `${text.slice(0, valueMax).toWellFormed()}…`;
};

const warning = ({ type, name, member, from, to, status }: LooseningNote): string => {
  if (member === 'new') {
    if (status === 'noted')
      return `The ${type} ${name} is new and resembles ${String(from)}, which is not declared any more: the rules of that name do not hold for it.`;
    const resembling = typeof from === 'string' ? ` It resembles ${from}, which is not declared any more.` : '';
    return `The ${type} ${name} is new: agents may not use it ${status === 'refused' ? 'as a person has refused it' : 'until a person accepts it'}.${resembling}`;
  }
  const rest =
    status === 'refused'
      ? 'a person has refused to loosen it.'
      : 'a person with settings: manage has to accept it, at GET /settings/loosenings.';
  return `The ${type} ${name} declares ${member} as ${shown(to)}; ${shown(from)} is stricter and stays in force: ${rest}`;
};

/**
 * Returns a sentence for each rule of the manifest's names that is stricter than the declaration, and for each new name that
 * resembles a removed one.
 */
export const looseningWarnings = (held: readonly LooseningNote[], manifest: Manifest): string[] => {
  const declared = {
    action: new Set((manifest.actions ?? []).map(({ name }) => name)),
    flag: new Set((manifest.flags ?? []).map(({ key }) => key)),
    inbox: new Set((manifest.inboxes ?? []).map(({ name }) => name)),
  };
  const own = held.filter(({ type, name }) => declared[type].has(name));
  const rest = own.length - warningsMax;
  return [
    ...own.slice(0, warningsMax).map(warning),
    ...(rest > 0 ? [`${String(rest)} more stricter rules stay in force; see GET /settings/loosenings.`] : []),
  ];
};

/** Returns the members by kind and name, as the audit log has declarations. */
export const namesByKind = (
  notes: readonly Pick<LooseningNote, 'type' | 'name' | 'member'>[],
): Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> =>
  Object.fromEntries(
    [...new Set(notes.map(({ type }) => type))].map((type) => {
      const own = notes.filter((note) => note.type === type);
      const names = [...new Set(own.map(({ name }) => name))];
      return [
        kindOf[type],
        Object.fromEntries(
          names.map((name) => [name, own.filter((note) => note.name === name).map(({ member }) => member)]),
        ),
      ];
    }),
  );
