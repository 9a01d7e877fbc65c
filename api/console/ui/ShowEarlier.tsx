/** The button that loads the next page of a list whose newest elements come first; nothing at the end of the list. Used by settings and the audit log. */
import { Button } from './Button.tsx';
import { earlierTexts } from './earlierTexts.tsx';

interface ShowEarlierProps {
  /** The list's elements. */
  readonly what: keyof typeof earlierTexts.show;
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
        {earlierTexts.show[what]}
      </Button>
    </div>
  );
