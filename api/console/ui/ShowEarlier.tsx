/** The button that loads the next page of a list whose newest elements come first; nothing at the end of the list. Used by settings and the audit log. */
import { Button } from './Button.tsx';

interface ShowEarlierProps {
  /** The list's elements in words, such as `entries`. */
  readonly what: string;
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
        Show earlier {what}
      </Button>
    </div>
  );
