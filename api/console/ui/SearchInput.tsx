/** The search of a page: `/` goes there, Escape and Enter leave it. Used by lists of items, records and flags. */
import { forwardRef } from 'react';
import { uiTexts } from './texts.ts';

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
