/** A line at the end of a timeline, a history or the audit log: older entries may be archived. */
import { earlierTexts } from './earlierTexts.tsx';
import { dateOf, exactTime } from './time.ts';

interface ArchivedNoteProps {
  /** Epoch milliseconds; absent: nothing is archived, or it is not the end yet. */
  readonly before: number | undefined;
}

export const ArchivedNote = ({ before }: ArchivedNoteProps) =>
  before === undefined ? null : (
    <p className="soft">
      {earlierTexts.archived(
        <time dateTime={new Date(before).toISOString()} title={exactTime(before)}>
          {dateOf(before)}
        </time>,
      )}
    </p>
  );
