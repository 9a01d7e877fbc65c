/** Why a sign-in by the provider has failed, in sentences: the API gives a word of its list. Loaded when there is one. */
import { signInProblemTexts } from './signInProblemTexts.ts';

/** Returns the sentence of a word; that of a word which is none says no more than that it failed. */
export const sentenceOf = (problem: string): string =>
  Object.entries(signInProblemTexts).find(([word]) => word === problem)?.[1] ?? signInProblemTexts.other;
