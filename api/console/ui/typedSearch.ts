/** Words that are searched for once typing pauses. Used by lists of items and records, and by the palette. */
import { useEffect, useState } from 'react';

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
