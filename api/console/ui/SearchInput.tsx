/** The search of a page: `/` goes there, Escape and Enter leave it; and whether a text has the words. Used by lists and pickers. */
import { useEffect, useState, type Ref } from 'react';
import { uiTexts } from './texts.tsx';

/** Returns a text as it is compared: as the server does, but for accents, which make no difference here. */
const fold = (text: string): string =>
  text
    .replace(/[‘’´]/gu, "'")
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/\p{Pd}/gu, '-')
    .toUpperCase();

/** Returns whether a text has each word somewhere in it, however it is written. */
export const hasWords = (text: string, words: string): boolean => {
  const within = fold(text);
  return fold(words)
    .split(/\s+/u)
    .every((word) => within.includes(word));
};

/** Milliseconds that typing pauses before a list is searched. */
const typingMs = 200;

/**
 * Returns the words as they are typed, and the function that sets them; `given` are those that are searched for now. `pauseMs`:
 * how long typing pauses before.
 */
export const useTypedSearch = (
  given: string,
  onSearch: (words: string) => void,
  pauseMs = typingMs,
): readonly [string, (words: string) => void] => {
  const [words, setWords] = useState(given);
  useEffect(() => setWords(given), [given]);
  useEffect(() => {
    if (words.trim() === given) return undefined;
    const timer = window.setTimeout(() => onSearch(words.trim()), pauseMs);
    return () => window.clearTimeout(timer);
  }, [words, given, onSearch, pauseMs]);
  return [words, setWords];
};

interface SearchInputProps {
  readonly ref?: Ref<HTMLInputElement>;
  readonly words: string;
  readonly onWords: (words: string) => void;
  /** For those who don't see it. */
  readonly label?: string;
  readonly placeholder?: string;
  readonly autoFocus?: boolean;
}

/** As many characters as the API searches for. */
const wordsMax = 200;

export const SearchInput = ({
  ref,
  words,
  onWords,
  label = uiTexts.search,
  placeholder = uiTexts.search,
  autoFocus = false,
}: SearchInputProps) => (
  <input
    ref={ref}
    type="search"
    aria-label={label}
    placeholder={placeholder}
    aria-keyshortcuts="/"
    autoFocus={autoFocus}
    value={words}
    maxLength={wordsMax}
    onChange={({ target }) => onWords(target.value)}
    onKeyDown={(event) => {
      if (event.key === 'Escape' || event.key === 'Enter') event.currentTarget.blur();
    }}
  />
);
