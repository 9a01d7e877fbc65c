/** A line at the end of a timeline, a history or the audit log: older entries may be archived. */
import { dateOf, exactTime } from './time.ts';

interface ArchivedNoteProps {
  /** Epoch milliseconds; absent: nothing is archived, or it is not the end yet. */
  readonly before: number | undefined;
}

export const ArchivedNote = ({ before }: ArchivedNoteProps) =>
  before === undefined ? null : (
    <p className="soft">
      What happened before{' '}
      <time dateTime={new Date(before).toISOString()} title={exactTime(before)}>
        {dateOf(before)}
      </time>{' '}
      may be archived. Whoever operates this service can bring it back.
    </p>
  );
