/** What an erasure is about, and what it waits for, in words. Used by its section of the settings. */
import type { ErasureCounts } from '../wire/types.ts';
import { erasureTexts } from './texts.tsx';

/** Returns what is counted, such as “2 items” and “5 runs”; what has no words is nothing that people count. */
export const countWords = (counts: ErasureCounts): readonly string[] =>
  Object.entries(erasureTexts.counts).flatMap(([kind, text]) => {
    const n = counts[kind] ?? 0;
    return n === 0 ? [] : [text(n)];
  });
