/** States of a page without content: an error with its reason and remedy, empty, loading. */
import { useEffect, useState, type ReactNode } from 'react';
import { ApiError } from '../wire/apiError.ts';
import { Button, KeyHint } from './Button.tsx';
import { uiTexts } from './texts.tsx';

const headings: Readonly<Record<number, string>> = uiTexts.problems;

interface ProblemProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
  /** Whether there is nothing else on the page. */
  readonly isPage?: boolean;
  /** The right that is needed, for what a role may not see. */
  readonly needs?: string;
  /** The sentence for a thing that does not exist, or no longer exists. Without it the page shows the API's sentence. */
  readonly gone?: string;
}

/** Trying again changes nothing about these. */
const isFinal = (error: ApiError | null): boolean => error !== null && [403, 404, 413].includes(error.status);

export const Problem = ({ error, onRetry, needs, gone, isPage = false }: ProblemProps) => {
  const known = error instanceof ApiError ? error : null;
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className="empty" role="alert">
      <Heading>{headings[known?.status ?? -1] ?? uiTexts.otherProblem}</Heading>
      <p data-code={known?.code}>{(known?.status === 404 ? gone : undefined) ?? known?.message ?? String(error)}</p>
      {needs !== undefined && known?.status === 403 && <p>{uiTexts.needs(needs)}</p>}
      {onRetry !== undefined && !isFinal(known) && <Button onClick={onRetry}>{uiTexts.tryAgain}</Button>}
    </div>
  );
};

interface UnreadProps extends Omit<ProblemProps, 'error' | 'onRetry'> {
  /** The query. */
  readonly of: { readonly error: Error | null; readonly refetch: () => unknown };
  readonly rows: number;
}

/** What stands in the place of what is not read yet: lines of its size, or why it could not be read. */
export const Unread = ({ of: { error, refetch }, rows, ...problem }: UnreadProps) =>
  error === null ? <Skeleton rows={rows} /> : <Problem error={error} onRetry={() => void refetch()} {...problem} />;

export const Empty = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <div className="empty">
    <h2>{title}</h2>
    <p>{children}</p>
  </div>
);

/** What stands beside a list of which nothing is open. `hint`: the key that opens the first one. */
export const NothingOpen = ({ hint }: { readonly hint: string }) => (
  <Empty title={uiTexts.nothingOpen}>
    <KeyHint>{hint}</KeyHint>
  </Empty>
);

/** A wait after which people ask themselves whether anything happens, in ms. */
const slowMs = 5_000;

/** Lines of the size of what comes, shown only when it takes a while; a word when it takes long. */
export const Skeleton = ({ rows }: { readonly rows: number }) => {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), slowMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="skeleton" role="status" aria-busy="true" aria-label={uiTexts.loading}>
      {Array.from({ length: rows }, (_, at) => (
        <div key={at}>
          <i />
          <i />
        </div>
      ))}
      {isSlow && <p className="slow">{uiTexts.slow}</p>}
    </div>
  );
};
