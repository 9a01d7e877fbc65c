/** What stands in place of a text that was erased and is never empty: a title, a summary, the error of a run. Used by shared/erasure and by what must not go on without it. */
export const erasedText = 'Erased';
