/** The ends of a list whose newest elements come first: what came since it was read, the next page, and what may be archived. Used by lists of entries. */
import { Button } from './Button.tsx';
import { uiTexts } from './texts.tsx';
import { dateOf, exactTime } from './time.ts';

interface ShowNewProps {
  readonly newCount: number;
  readonly onShow: () => void;
}

/** The button that shows what came since a list was read; nothing while nothing came. */
export const ShowNew = ({ newCount, onShow }: ShowNewProps) =>
  newCount > 0 && (
    <Button tone="bare" onClick={onShow} shortcut="l">
      {uiTexts.showNew(newCount)}
    </Button>
  );

interface ArchivedNoteProps {
  /** Epoch milliseconds; absent: nothing is archived, or it is not the end yet. */
  readonly before: number | undefined;
}

/** A line at the end of a timeline, a history or the audit log: older entries may be archived. */
export const ArchivedNote = ({ before }: ArchivedNoteProps) =>
  before === undefined ? null : (
    <p className="soft">
      {uiTexts.earlier.archived(
        <time dateTime={new Date(before).toISOString()} title={exactTime(before)}>
          {dateOf(before)}
        </time>,
      )}
    </p>
  );

interface ShowEarlierProps {
  /** The list's elements. */
  readonly what: keyof typeof uiTexts.earlier.show;
  readonly list: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
}

export const ShowEarlier = ({ what, list: { hasNextPage, isFetchingNextPage, fetchNextPage } }: ShowEarlierProps) =>
  hasNextPage && (
    <div className="verdict-buttons">
      <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {uiTexts.earlier.show[what]}
      </Button>
    </div>
  );
