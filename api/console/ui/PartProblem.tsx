/** What stands in the place of a part that could not be loaded: why, and what to do. Used by lazy.tsx. */
import { Button } from './Button.tsx';
import { uiTexts } from './texts.ts';

interface PartProblemProps {
  /** Whether the server has another build of the console. */
  readonly isOutdated: boolean;
  readonly onRetry: () => void;
  /** Of a dialog; undefined: the part is none. */
  readonly onClose: (() => void) | undefined;
}

export const PartProblem = ({ isOutdated, onRetry, onClose }: PartProblemProps) => (
  <div className={onClose === undefined ? 'empty' : 'part-problem'} role="alert">
    <h2>{isOutdated ? uiTexts.outdated : uiTexts.notLoaded}</h2>
    <p>{isOutdated ? uiTexts.outdatedAbout : uiTexts.notLoadedAbout}</p>
    <p>
      {isOutdated ? (
        <Button tone="main" onClick={() => location.reload()}>
          {uiTexts.reload}
        </Button>
      ) : (
        <Button tone="main" onClick={onRetry}>
          {uiTexts.tryAgain}
        </Button>
      )}
      {onClose !== undefined && <Button onClick={onClose}>{uiTexts.close}</Button>}
    </p>
  </div>
);
