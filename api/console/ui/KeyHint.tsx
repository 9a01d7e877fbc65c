/** A word on a key, for those who have a keyboard: on a touch screen it is not there. Used by pages where nothing is open. */
import type { ReactNode } from 'react';

export const KeyHint = ({ children }: { readonly children: ReactNode }) => <span className="key-hint">{children}</span>;
