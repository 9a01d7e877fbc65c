/** How a request ended, within a sentence: who ended it, and when. Used by RequestRow and the page of an agent. */
import { Ago } from '../ui/Time.tsx';
import type { Approval } from '../wire/types.ts';
import { verdictTexts } from './verdictTexts.tsx';

export const RequestEnd = ({ approval }: { readonly approval: Approval }) => {
  const { status, decidedBy, decidedAt } = approval;
  const ends: Readonly<Record<string, string>> = verdictTexts.endsInSentence;
  const end = ends[status] ?? status;
  const when = decidedAt !== null && <Ago isInSentence at={decidedAt} />;
  // Nobody decides what has expired, or what no longer fits when somebody tries to approve it.
  return decidedBy === null || status === 'stale'
    ? verdictTexts.ended(end, when)
    : verdictTexts.endedBy(end, decidedBy.name, when);
};
