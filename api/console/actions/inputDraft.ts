/** What somebody has typed into a form, as texts, and the input that it makes. Used by the action sheet. */
import { fromLocalTime, toLocalTime } from '../ui/timeZone.ts';
import { fieldTexts } from './fieldTexts.ts';
import type { Choice, Field } from './schema.ts';

/** The texts of a field, in its shape; an empty text is nothing. */
export type InputDraft = string | readonly InputDraft[] | { readonly [name: string]: InputDraft };

export const isListDraft = (draft: InputDraft): draft is readonly InputDraft[] => Array.isArray(draft);

export const isGroupDraft = (draft: InputDraft): draft is Readonly<Record<string, InputDraft>> =>
  typeof draft === 'object' && !Array.isArray(draft);

/** Returns whether anything is given. */
export const hasText = (draft: InputDraft): boolean =>
  typeof draft === 'string' ? draft !== '' : Object.values<InputDraft>(draft).some(hasText);

/** Returns how a choice is named among the options of a form. */
export const choiceKey = (value: Choice['value']): string => JSON.stringify(value);

const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const plainText = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** Returns the texts that show a value; undefined: the field's own default. */
export const toDraft = (field: Field, given: unknown): InputDraft => {
  const value = given === undefined ? field.initial : given;
  const { kind } = field;
  if (kind === 'list') return Array.isArray(value) ? value.map((each: unknown) => toDraft(field.item, each)) : [];
  if (kind === 'group') {
    const members = isMembers(value) ? value : {};
    return Object.fromEntries(field.members.map((member) => [member.name, toDraft(member, members[member.name])]));
  }
  if (kind === 'choice') {
    const known = field.choices.find((choice) => JSON.stringify(choice.value) === JSON.stringify(value));
    const [only] = field.choices;
    const chosen = known ?? (field.isRequired && field.choices.length === 1 ? only : undefined);
    return chosen === undefined ? '' : choiceKey(chosen.value);
  }
  if (kind === 'json') return value === undefined ? '' : JSON.stringify(value, null, 2);
  if (kind === 'time') return typeof value === 'string' ? toLocalTime(Date.parse(value)) : '';
  return plainText(value);
};

/** Returns a kept draft in the shape of a form that may have changed since. */
export const fitDraft = (field: Field, kept: unknown): InputDraft => {
  if (field.kind === 'list')
    return Array.isArray(kept) ? kept.map((each: unknown) => fitDraft(field.item, each)) : toDraft(field, undefined);
  if (field.kind === 'group') {
    const members = isMembers(kept) ? kept : {};
    return Object.fromEntries(
      field.members.map((member) => [
        member.name,
        Object.hasOwn(members, member.name) ? fitDraft(member, members[member.name]) : toDraft(member, undefined),
      ]),
    );
  }
  return typeof kept === 'string' ? kept : toDraft(field, undefined);
};

export interface InputProblem {
  /** Dotted, as the API's paths into the input. */
  readonly path: string;
  readonly message: string;
}

const readNumber = (text: string): number => {
  const value = Number(text.trim());
  if (text.trim() === '' || !Number.isFinite(value)) throw new Error(fieldTexts.isNoNumber);
  return value;
};

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(fieldTexts.isNoJson(error instanceof Error ? error.message : String(error)), { cause: error });
  }
};

/** Returns the value of a text. Throws an error that says what is wrong with it. */
const readText = (field: Field, text: string): unknown => {
  if (field.kind === 'number') return readNumber(text);
  if (field.kind === 'boolean') return text === 'true';
  if (field.kind === 'choice') return field.choices.find(({ value }) => choiceKey(value) === text)?.value;
  if (field.kind === 'time') return new Date(fromLocalTime(text)).toISOString();
  return field.kind === 'json' ? readJson(text) : text;
};

export const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Returns the input that a draft makes, undefined where there is none, and adds what can't be sent to `problems`. */
export const readInput = (field: Field, draft: InputDraft, path: string, problems: InputProblem[]): unknown => {
  if (field.kind === 'list') {
    const rows = isListDraft(draft) ? draft : [];
    const values = rows
      .map((row, at) => readInput(field.item, row, below(path, String(at)), problems))
      .filter((value) => value !== undefined);
    return values.length > 0 || field.isRequired ? values : undefined;
  }
  if (field.kind === 'group') {
    const members = isGroupDraft(draft) ? draft : {};
    const read = field.members.map((member): readonly [string, unknown] => [
      member.name,
      readInput(member, members[member.name] ?? '', below(path, member.name), problems),
    ]);
    const given = read.filter(([, value]) => value !== undefined);
    return given.length > 0 || field.isRequired ? Object.fromEntries(given) : undefined;
  }
  if (typeof draft !== 'string' || draft === '') return field.isNullable && field.isRequired ? null : undefined;
  try {
    return readText(field, draft);
  } catch (error) {
    problems.push({ path, message: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
};

/** Returns what is typed at a dotted path; undefined: there is nothing. */
const typedAt = (draft: InputDraft, path: string): InputDraft | undefined =>
  path === ''
    ? draft
    : path.split('.').reduce<InputDraft | undefined>((at, name) => {
        if (at === undefined || typeof at === 'string') return at;
        return isListDraft(at) ? at[Number(name)] : isGroupDraft(at) && Object.hasOwn(at, name) ? at[name] : undefined;
      }, draft);

/** Returns the problems of what has not been typed otherwise since. */
export const problemsLeft = (
  problems: readonly InputProblem[],
  before: InputDraft,
  now: InputDraft,
): readonly InputProblem[] =>
  problems.filter(({ path }) => JSON.stringify(typedAt(before, path)) === JSON.stringify(typedAt(now, path)));

/** Returns the fields that have to be filled and are not; those of an optional group only once one of them is. */
export const missingIn = (field: Field, draft: InputDraft, path: string): readonly InputProblem[] => {
  if (field.kind === 'group')
    return field.isRequired || hasText(draft)
      ? field.members.flatMap((member) =>
          missingIn(member, isGroupDraft(draft) ? (draft[member.name] ?? '') : '', below(path, member.name)),
        )
      : [];
  if (field.kind === 'list')
    return (isListDraft(draft) ? draft : []).flatMap((row, at) =>
      hasText(row) ? missingIn(field.item, row, below(path, String(at))) : [],
    );
  return field.isRequired && !field.isNullable && draft === '' ? [{ path, message: fieldTexts.isRequired }] : [];
};
