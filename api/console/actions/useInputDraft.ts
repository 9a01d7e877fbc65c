/** The typed input of an action, as a form or as JSON, kept until it is sent. Used by ActionForm. */
import { useMemo, useState } from 'react';
import { forgetDraft, useDraft } from '../ui/draft.ts';
import { fieldTexts } from './fieldTexts.ts';
import { fitDraft, readInput, toDraft, type InputDraft, type InputProblem } from './inputDraft.ts';
import { toForm, type Field } from './schema.ts';

/** The whole input as one text. */
export const jsonField: Field = { ...toForm({}), label: fieldTexts.input, isRequired: false, kind: 'json' };

interface Kept {
  readonly isJson: boolean;
  readonly draft: unknown;
}

const readKept = (text: string): Kept | null => {
  try {
    const kept: unknown = JSON.parse(text);
    return typeof kept === 'object' && kept !== null && 'isJson' in kept && 'draft' in kept
      ? { isJson: kept.isJson === true, draft: kept.draft }
      : null;
  } catch {
    return null;
  }
};

const asJson = (value: unknown): string => JSON.stringify(value ?? {}, null, 2);

const isGroup = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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
      else if (isGroup(value) && showsAll(form, value)) keep({ isJson: false, draft: toDraft(form, value) });
      else return [{ path: '', message: fieldTexts.hasMore }];
      return [];
    },
    reset: () => {
      setText('');
      setRestored(false);
    },
    forget: () => forgetDraft(key, text),
  };
};
