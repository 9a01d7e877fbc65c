/** Names the person who approved something. Used by the entries of timelines and the list of runs. */
import { timelineTexts } from './timelineTexts.tsx';

export const Approver = ({ name }: { readonly name: string }) => (
  <span className="soft" dir="auto">
    {timelineTexts.approvedBy(name)}
  </span>
);
