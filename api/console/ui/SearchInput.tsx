/** The search of a page: `/` goes there, Escape and Enter leave it. Used by lists of items, records and flags. */
import { forwardRef, useEffect, useState } from 'react';
import { uiTexts } from './texts.tsx';

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
  readonly words: string;
  readonly onWords: (words: string) => void;
  /** For those who don't see it. */
  readonly label?: string;
  readonly placeholder?: string;
  readonly autoFocus?: boolean;
}

/** As many characters as the API searches for. */
const wordsMax = 200;

export const SearchInput = forwardRef<HTMLInputElement, SearchInputProps>(
  ({ words, onWords, label = uiTexts.search, placeholder = uiTexts.search, autoFocus = false }, input) => (
    <input
      ref={input}
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
  ),
);
