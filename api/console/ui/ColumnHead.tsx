/** The head of a page in one column: its title, what it is about, and its buttons. Used by settings, the audit log and the page of bulks. */
import type { ReactNode } from 'react';

interface ColumnHeadProps {
  readonly title: string;
  readonly about: string;
  readonly children?: ReactNode;
}

export const ColumnHead = ({ title, about, children }: ColumnHeadProps) => (
  <header className="column-head">
    <div>
      <h1>{title}</h1>
      <p className="soft">{about}</p>
    </div>
    {children}
  </header>
);
