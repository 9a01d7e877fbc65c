/** Drafts: unsent texts of one person, which survive a reload, a sign-in and another item in between, and stand in every tab. */
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { parsed } from '../wire/json.ts';
import { keep, readKept } from '../wire/kept.ts';

const prefix = 'console.draft.';

/** Whose drafts are read and written: another person at the same browser has others. */
let owner = '';

/** Begins with the drafts of a person. Used by the shell before a page of theirs is drawn. */
export const adoptDrafts = (person: string): void => {
  if (owner === person) return;
  owner = person;
  begun = null;
};

const nameOf = (key: string): string => `${prefix}${owner}.${key}`;

/** Drafts of a browser without storage, or with too little; they last as long as the page. */
const kept = new Map<string, string>();
/** The places of this tab where drafts stand, by the names of these. */
const listeners = new Set<(name: string, text: string) => void>();

/** The keys under which texts are kept; null: not looked up yet. */
let begun: ReadonlySet<string> | null = null;
const followers = new Set<() => void>();

const readBegun = (): ReadonlySet<string> => {
  const own = `${prefix}${owner}.`;
  let names = [...kept.keys()];
  try {
    names = [...names, ...Object.keys(localStorage)];
  } catch {
    // A browser without storage has those of the page alone.
  }
  return new Set(names.filter((name) => name.startsWith(own)).map((name) => name.slice(own.length)));
};

/** Takes over that a text has come, or that one was forgotten. */
const noteBegun = (name: string, isKept: boolean): void => {
  const own = `${prefix}${owner}.`;
  if (begun === null || !name.startsWith(own) || begun.has(name.slice(own.length)) === isKept) return;
  begun = readBegun();
  for (const hear of followers) hear();
};

const followBegun = (hear: () => void): (() => void) => {
  const hearTab = ({ key: name, newValue }: StorageEvent): void => {
    if (name !== null) noteBegun(name, newValue !== null && newValue !== '');
  };
  followers.add(hear);
  window.addEventListener('storage', hearTab);
  return () => {
    followers.delete(hear);
    window.removeEventListener('storage', hearTab);
  };
};

/** Returns the keys under which unsent texts are kept, and follows them. */
export const useBegun = (): ReadonlySet<string> => useSyncExternalStore(followBegun, () => (begun ??= readBegun()));

/** Returns the text under a key. */
export const readDraft = (key: string): string => {
  const name = nameOf(key);
  return kept.get(name) ?? readKept(name) ?? '';
};

/** Keeps a text under a key, and tells the places where it stands; an empty one is forgotten. */
export const writeDraft = (key: string, text: string): void => {
  const name = nameOf(key);
  kept.delete(name);
  if (!keep(name, text === '' ? null : text)) kept.set(name, text);
  for (const hear of listeners) hear(name, text);
  noteBegun(name, text !== '');
};

/** Forgets a text that was sent, wherever it stands now, unless it was changed since. */
export const forgetDraft = (key: string, sent: string): void => {
  if (readDraft(key) === sent) writeDraft(key, '');
};

/** Returns the text under a key and the function that sets it. */
export const useDraft = (key: string): readonly [string, (text: string) => void] => {
  const [draft, setDraft] = useState({ key, text: readDraft(key) });
  const current = draft.key === key ? draft : { key, text: readDraft(key) };
  if (current !== draft) setDraft(current);
  useEffect(() => {
    const hear = (name: string | null, text: string): void => {
      if (name === nameOf(key)) setDraft({ key, text });
    };
    // The event comes from other tabs only, and nobody types in two at a time.
    const hearTab = ({ key: name, newValue }: StorageEvent): void => hear(name, newValue ?? '');
    listeners.add(hear);
    window.addEventListener('storage', hearTab);
    return () => {
      listeners.delete(hear);
      window.removeEventListener('storage', hearTab);
    };
  }, [key]);
  const set = useCallback(
    (text: string) => {
      writeDraft(key, text);
      setDraft({ key, text });
    },
    [key],
  );
  return [current.text, set];
};

/** Returns the fields of an unsent form, how to set some, how to forget them, and whether any is kept that differs. */
export const useFormDraft = <T extends Readonly<Record<string, string>>>(
  key: string,
  initial: T,
): readonly [T, (part: Partial<T>) => void, () => void, boolean] => {
  const [text, setText] = useDraft(key);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what this function wrote; nothing where it can't be read
  const fields = { ...initial, ...(parsed(text) as Partial<T> | undefined) };
  return [
    fields,
    (part) => setText(JSON.stringify({ ...fields, ...part })),
    () => setText(''),
    Object.keys(initial).some((name) => fields[name] !== initial[name]),
  ];
};
