/** What somebody has typed into a form, as texts or as JSON, kept until it is sent, and the input that it makes. Used by the action sheet. */
import { useMemo, useState } from 'react';
import { isObject } from '../content/values.ts';
import { forgetDraft, useDraft } from '../ui/draft.ts';
import { fromLocalTime, toLocalTime } from '../ui/wallTime.ts';
import { messageOf } from '../wire/apiError.ts';
import { parsed } from '../wire/json.ts';
import { type Choice, type Field, toForm } from './schema.ts';
import { actionTexts } from './texts.tsx';

/** The whole input as one text. */
export const jsonField: Field = { ...toForm({}), label: actionTexts.field.input, isRequired: false, kind: 'json' };

interface Kept {
  readonly isJson: boolean;
  readonly draft: unknown;
}

const readKept = (text: string): Kept | null => {
  const kept = parsed(text);
  return isObject(kept) && 'isJson' in kept && 'draft' in kept
    ? { isJson: kept['isJson'] === true, draft: kept['draft'] }
    : null;
};

const asJson = (value: unknown): string => JSON.stringify(value ?? {}, null, 2);

/** Returns whether a form shows everything of a value: what it has no field for would be lost. */
const showsAll = (form: Field, value: Readonly<Record<string, unknown>>): boolean =>
  form.kind === 'group' && Object.keys(value).every((name) => form.members.some((member) => member.name === name));

interface InputDraftState {
  readonly field: Field;
  readonly draft: InputDraft;
  /** Whether it was typed before the form was opened. */
  readonly isRestored: boolean;
  readonly set: (draft: InputDraft) => void;
  /** Changes between the form and JSON; returns why what is typed can't be read, and changes nothing then. */
  readonly toggle: () => readonly InputProblem[];
  readonly reset: () => void;
  /** Forgets what was sent, unless it was changed since. */
  readonly forget: () => void;
}

/** `given`: what the form begins with, over the schema's defaults. */
export const useInputDraft = (key: string, form: Field, given: Readonly<Record<string, unknown>>): InputDraftState => {
  const [text, setText] = useDraft(key);
  const [isRestored, setRestored] = useState(text !== '');
  /** The form begins once: what is given must not change under the cursor. */
  const [begun] = useState(given);
  const fresh = useMemo(
    (): Kept =>
      form.kind === 'json'
        ? { isJson: false, draft: Object.keys(begun).length === 0 ? toDraft(form, undefined) : asJson(begun) }
        : showsAll(form, begun)
          ? { isJson: false, draft: toDraft(form, begun) }
          : { isJson: true, draft: asJson(begun) },
    [form, begun],
  );
  const { isJson, draft } = readKept(text) ?? fresh;
  const field = isJson ? jsonField : form;
  const shown = fitDraft(field, draft);
  const keep = (kept: Kept): void => setText(JSON.stringify(kept));
  return {
    field,
    draft: shown,
    isRestored,
    set: (next) => keep({ isJson, draft: next }),
    toggle: () => {
      const problems: InputProblem[] = [];
      const value = readInput(field, shown, '', problems) ?? {};
      if (problems.length > 0) return problems;
      if (!isJson) keep({ isJson: true, draft: asJson(value) });
      else if (isObject(value) && showsAll(form, value)) keep({ isJson: false, draft: toDraft(form, value) });
      else return [{ path: '', message: actionTexts.field.hasMore }];
      return [];
    },
    reset: () => {
      setText('');
      setRestored(false);
    },
    forget: () => forgetDraft(key, text),
  };
};

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

const plainText = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** Returns the texts that show a value; undefined: the field's own default. */
export const toDraft = (field: Field, given: unknown): InputDraft => {
  const value = given === undefined ? field.initial : given;
  const { kind } = field;
  if (kind === 'list') return Array.isArray(value) ? value.map((each: unknown) => toDraft(field.item, each)) : [];
  if (kind === 'group') {
    const members = isObject(value) ? value : {};
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
const fitDraft = (field: Field, kept: unknown): InputDraft => {
  if (field.kind === 'list')
    return Array.isArray(kept) ? kept.map((each: unknown) => fitDraft(field.item, each)) : toDraft(field, undefined);
  if (field.kind === 'group') {
    const members = isObject(kept) ? kept : {};
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
  if (text.trim() === '' || !Number.isFinite(value)) throw new Error(actionTexts.field.isNoNumber);
  return value;
};

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(actionTexts.field.isNoJson(messageOf(error)), { cause: error });
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
    problems.push({ path, message: messageOf(error) });
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
  return field.isRequired && !field.isNullable && draft === '' ? [{ path, message: actionTexts.field.isRequired }] : [];
};
