/** The beginning of a request's sentence, for notices: these stand over the page. Used by useDecide and useApproved. */
import { approvalTexts } from './texts.ts';

/** Characters that fit in two lines beside two buttons. */
const charactersMost = 40;

export const shortened = (sentence: string): string =>
  sentence.length > charactersMost ? approvalTexts.cut(sentence.slice(0, charactersMost - 1).trimEnd()) : sentence;
