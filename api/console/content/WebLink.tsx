/** A link to an address that others wrote: of the web or of mail, else its words alone. Used by blocks and Markdown. */
import type { ReactNode } from 'react';

/** Returns whether an address may be opened: those of the web and of mail. */
const isSafe = (url: string): boolean =>
  URL.canParse(url) && ['http:', 'https:', 'mailto:'].includes(new URL(url).protocol);

export const WebLink = ({ url, children }: { readonly url: string; readonly children: ReactNode }) =>
  isSafe(url) ? (
    <a href={url} target="_blank" rel="noopener noreferrer" title={url}>
      {children}
    </a>
  ) : (
    <span>{children}</span>
  );
