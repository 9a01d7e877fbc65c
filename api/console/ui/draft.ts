/** Drafts: unsent texts, which survive a reload, a sign-in and another item in between. */
import { useCallback, useState } from 'react';

const prefix = 'console.draft.';

/** Returns the text under a key. */
export const readDraft = (key: string): string => {
  try {
    return localStorage.getItem(prefix + key) ?? '';
  } catch {
    return '';
  }
};

const writeDraft = (key: string, text: string): void => {
  try {
    if (text === '') localStorage.removeItem(prefix + key);
    else localStorage.setItem(prefix + key, text);
  } catch {
    // A browser without storage keeps it as long as the page is open.
  }
};

/** Returns the text under a key and the function that sets it. */
export const useDraft = (key: string): readonly [string, (text: string) => void] => {
  const [draft, setDraft] = useState({ key, text: readDraft(key) });
  const current = draft.key === key ? draft : { key, text: readDraft(key) };
  if (current !== draft) setDraft(current);
  const set = useCallback(
    (text: string) => {
      writeDraft(key, text);
      setDraft({ key, text });
    },
    [key],
  );
  return [current.text, set];
};

/** Returns the fields of an unsent form, how to set some, and how to forget them. */
export const useFormDraft = <T extends Readonly<Record<string, string>>>(
  key: string,
  initial: T,
): readonly [T, (part: Partial<T>) => void, () => void] => {
  const [text, setText] = useDraft(key);
  let given: Partial<T> = {};
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what this function wrote
    given = text === '' ? {} : (JSON.parse(text) as Partial<T>);
  } catch {
    // A draft of another form begins anew.
  }
  const fields = { ...initial, ...given };
  return [fields, (part) => setText(JSON.stringify({ ...fields, ...part })), () => setText('')];
};
