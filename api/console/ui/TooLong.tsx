/** A word on a text that is longer than the API takes: it is kept whole and has to be shortened. Used by forms. */
import { formTexts } from './formTexts.ts';

/** Characters of a reason, as the API takes them. */
export const reasonMost = 2_000;

/** Returns how many characters a text is too long, counted as the API counts them. */
export const excessOf = (text: string, most: number): number =>
  // A character may be two units of the text's length, never less than one.
  text.length <= most ? 0 : Math.max(0, [...text].length - most);

interface TooLongProps {
  /** The text in words, as the beginning of a sentence. */
  readonly what: string;
  readonly text: string;
  readonly most: number;
}

export const TooLong = ({ what, text, most }: TooLongProps) => {
  const excess = excessOf(text, most);
  if (excess === 0) return null;
  return (
    <p className="problem" role="status">
      {formTexts.tooLong(what, excess, most)}
    </p>
  );
};
