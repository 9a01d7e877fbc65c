/** A list beside the one of it that is open. Used by the page of approvals and by NamedList. */
import type { ReactNode } from 'react';
import { count } from './time.ts';

interface ListAndDetailProps {
  readonly title: string;
  /** How many the list shows; null: not known yet. */
  readonly total: number | null;
  /** Stands above the list, such as its search. */
  readonly filters?: ReactNode;
  readonly list: ReactNode;
  readonly isOpen: boolean;
  /** The detail. */
  readonly children: ReactNode;
}

export const ListAndDetail = ({ title, total, filters, list, isOpen, children }: ListAndDetailProps) => (
  <div className={`inbox ${isOpen ? 'has-item' : 'no-item'}`}>
    <section className="list" aria-label={title}>
      <header className="list-head">
        <div className="list-title">
          <h1>{title}</h1>
          <span className="soft total">{total === null ? '' : count(total)}</span>
        </div>
        {filters !== undefined && <div className="list-filters">{filters}</div>}
      </header>
      <div className="scroll">{list}</div>
    </section>
    <div className="detail scroll">{children}</div>
  </div>
);
