/** A list under its heading. Used by the parts of Home. */
import type { ReactNode } from 'react';
import { Problem, Skeleton } from '../ui/Problem.tsx';
import { count } from '../ui/time.ts';

/** Number of lines of a list; its page has the others. */
export const shownMost = 6;

interface SectionProps {
  readonly title: string;
  /** Makes a link to the whole list of the heading; absent: there is no such list. */
  readonly link?: (title: string) => ReactNode;
  readonly none: ReactNode;
  readonly total: number | null;
  readonly error: unknown;
  readonly children: readonly ReactNode[] | null;
}

export const Section = ({ title, link, none, total, error, children }: SectionProps) => (
  <section className="waiting" aria-label={title}>
    <h2>
      {link === undefined ? title : link(title)}{' '}
      {total !== null && total > 0 && <span className="soft">{count(total)}</span>}
    </h2>
    {error !== null && children === null && <Problem error={error} />}
    {error === null && children === null && <Skeleton rows={2} />}
    {children?.length === 0 && <p className="soft">{none}</p>}
    {children !== null && children.length > 0 && <ul>{children}</ul>}
  </section>
);
