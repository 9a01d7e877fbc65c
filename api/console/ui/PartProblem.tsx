/** What stands in the place of a part that could not be loaded: why, and what to do. Used by lazy.tsx. */
import { Button } from './Button.tsx';

interface PartProblemProps {
  /** Whether the server has another build of the console. */
  readonly isOutdated: boolean;
  readonly onRetry: () => void;
  /** Of a dialog; undefined: the part is none. */
  readonly onClose: (() => void) | undefined;
}

export const PartProblem = ({ isOutdated, onRetry, onClose }: PartProblemProps) => (
  <div className={onClose === undefined ? 'empty' : 'part-problem'} role="alert">
    <h2>{isOutdated ? 'The console has been updated' : 'This part could not be loaded'}</h2>
    <p>
      {isOutdated
        ? 'Reload the page to go on with the new version. What you typed is kept.'
        : 'The connection may be broken, or the service is being updated. What you typed is kept.'}
    </p>
    <p>
      {isOutdated ? (
        <Button tone="main" onClick={() => location.reload()}>
          Reload the page
        </Button>
      ) : (
        <Button tone="main" onClick={onRetry}>
          Try again
        </Button>
      )}
      {onClose !== undefined && <Button onClick={onClose}>Close</Button>}
    </p>
  </div>
);
