/** Parts of the page that are loaded when they are needed, or when the browser has nothing else to do. Used for dialogs and pages. */
import { lazy, Suspense, type ComponentType, type JSX } from 'react';

const reloadedKey = 'console.reloaded';

/** A part that is gone belongs to an earlier build: the page is loaded anew, once. */
const reloadOnce = (error: unknown): never => {
  const last = Number(sessionStorage.getItem(reloadedKey) ?? 0);
  if (Date.now() - last > 60_000) {
    sessionStorage.setItem(reloadedKey, String(Date.now()));
    location.reload();
  }
  throw error;
};

const whenIdle = (work: () => void): void => {
  if ('requestIdleCallback' in window) window.requestIdleCallback(work, { timeout: 2_000 });
  else setTimeout(work, 1_000);
};

/** Returns a component that is loaded soon after the page has been shown; `Meanwhile` stands in its place until then. */
export const loadedLater = <P extends object>(
  load: () => Promise<ComponentType<P>>,
  Meanwhile?: ComponentType<P>,
): ((props: P & JSX.IntrinsicAttributes) => JSX.Element) => {
  let loading: Promise<{ default: ComponentType<P> }> | undefined;
  const once = (): Promise<{ default: ComponentType<P> }> =>
    (loading ??= load().then((component) => ({ default: component }), reloadOnce));
  whenIdle(() => void once().catch(() => undefined));
  const Loaded = lazy(once);
  return (props) => (
    <Suspense fallback={Meanwhile === undefined ? null : <Meanwhile {...props} />}>
      <Loaded {...props} />
    </Suspense>
  );
};
