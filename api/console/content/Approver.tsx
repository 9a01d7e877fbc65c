/** Names the person who approved something, and when. Used by the entries of timelines and the list of runs. */
import { Ago } from '../ui/Time.tsx';
import { timelineTexts } from './timelineTexts.tsx';

interface ApproverProps {
  readonly name: string;
  readonly at?: number | null;
}

export const Approver = ({ name, at = null }: ApproverProps) => (
  <span className="soft" dir="auto">
    {timelineTexts.approvedBy(name, at !== null && <Ago isInSentence at={at} />)}
  </span>
);
