/** A button that says its deed and, where it has one, its key. Used everywhere. */
import type { ComponentProps, ReactNode } from 'react';
import { ariaKeys, printedKeys } from './keys.ts';

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
