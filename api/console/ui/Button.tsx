/** A button that says its deed and, where it has one, its key; and hints about keys. Used everywhere. */
import type { ComponentProps, ReactNode } from 'react';

/** A hint about a key, hidden on touch screens. */
export const KeyHint = ({ children }: { readonly children: ReactNode }) => <span className="key-hint">{children}</span>;

const isMac = /mac|iphone|ipad/i.test(navigator.platform);

/** Returns keys with ⌘ as they are printed. */
export const printedKeys = (keys: string): string => (isMac ? keys : keys.replace('⌘', 'Ctrl+'));

/** Returns keys as `aria-keyshortcuts` has them. */
export const ariaKeys = (keys: string): string =>
  keys
    .replace('⌘', isMac ? 'Meta+' : 'Control+')
    .replace('↵', 'Enter')
    .replace('Esc', 'Escape');

interface ButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  readonly children: ReactNode;
  readonly tone?: 'plain' | 'main' | 'danger' | 'bare';
  /** The key that does the same. */
  readonly shortcut?: string;
}

export const Button = ({ children, tone = 'plain', shortcut, className, ...rest }: ButtonProps) => (
  <button
    type="button"
    {...rest}
    className={`button ${tone} ${className ?? ''}`}
    aria-keyshortcuts={shortcut === undefined ? undefined : ariaKeys(shortcut)}
  >
    {children}
    {shortcut !== undefined && <kbd aria-hidden>{printedKeys(shortcut)}</kbd>}
  </button>
);
