/** A hint about a key, hidden on touch screens. Used by pages where nothing is open. */
import type { ReactNode } from 'react';

export const KeyHint = ({ children }: { readonly children: ReactNode }) => <span className="key-hint">{children}</span>;
