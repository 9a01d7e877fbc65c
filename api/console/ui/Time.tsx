/** A moment as a relative time, with the exact one on hover; and a deadline. Used by lists, timelines and approvals. */
import { useNow } from './clock.ts';
import { ago, due, exactTime } from './time.ts';

export const Ago = ({ at }: { readonly at: number }) => {
  const now = useNow();
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {ago(at, now)}
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
