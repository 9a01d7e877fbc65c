/** A moment as a relative time, with the exact one on hover; and a deadline. Used by lists, timelines and approvals. */
import { useNow } from './clock.ts';
import { ago, agoInWords, due, exactTime } from './time.ts';

interface AgoProps {
  readonly at: number;
  /** Whether it stands within a sentence; else it is as short as columns and rows want it. */
  readonly isInSentence?: boolean;
}

export const Ago = ({ at, isInSentence = false }: AgoProps) => {
  const now = useNow();
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {isInSentence ? agoInWords(at, now) : ago(at, now)}
    </time>
  );
};

export const Due = ({ at }: { readonly at: number }) => {
  const now = useNow();
  const { text, tone } = due(at, now);
  return (
    <time className={`due ${tone}`} dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {text}
    </time>
  );
};
