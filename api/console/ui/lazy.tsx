/** Parts of the page that are loaded when they are needed, or when the browser has nothing else to do. Used for dialogs and pages. */
import { useEffect, useSyncExternalStore, type ComponentType, type JSX } from 'react';
import { createPart } from './part.ts';
import { PartProblem } from './PartProblem.tsx';

const whenIdle = (work: () => void): void => {
  if ('requestIdleCallback' in window) window.requestIdleCallback(work, { timeout: 2_000 });
  else setTimeout(work, 1_000);
};

interface LaterOptions<P> {
  /** Stands in the part's place until it is loaded. */
  readonly Meanwhile?: ComponentType<P>;
  /** Whether `Meanwhile` serves as well: then it stays when the part can't be loaded. */
  readonly isOptional?: boolean;
}

/** Returns the function that closes a part, for parts that have one: dialogs. */
const closeOf = (props: object): (() => void) | undefined => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what has a property of this name is a dialog
  const { onClose } = props as { readonly onClose?: () => void };
  return onClose;
};

/** Returns a component that is loaded soon after the page has been shown; a part that fails says so in its own place. */
export const loadedLater = <P extends object>(
  load: () => Promise<ComponentType<P>>,
  { Meanwhile, isOptional = false }: LaterOptions<P> = {},
): ((props: P & JSX.IntrinsicAttributes) => JSX.Element | null) => {
  const part = createPart(load, isOptional);
  whenIdle(part.preload);
  return function Later(props) {
    const state = useSyncExternalStore(part.subscribe, part.state);
    useEffect(() => void part.need(), []);
    if (typeof state === 'object') return <state.Component {...props} />;
    if (state !== 'waiting' && !isOptional)
      return (
        <PartProblem isOutdated={state === 'outdated'} onRetry={() => void part.need()} onClose={closeOf(props)} />
      );
    return Meanwhile === undefined ? null : <Meanwhile {...props} />;
  };
};
