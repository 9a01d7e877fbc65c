/**
 * Parts of pages: the head of one in one column, a section, the way back to a list, and a table of rows with their headings, in a region that scrolls by keyboard where it is wider
 * than its place; on a narrow screen each row is a list of its values. Used by settings, the audit log and the page of bulks.
 */
import type { ComponentProps, CSSProperties, PointerEventHandler, ReactNode } from 'react';
import { Button } from './Button.tsx';

interface ColumnHeadProps {
  readonly title: string;
  readonly about: string;
  readonly children?: ReactNode;
}

/** The head of a page in one column: its title, what it is about, and its buttons. */
export const ColumnHead = ({ title, about, children }: ColumnHeadProps) => (
  <header className="column-head">
    <div>
      <h1>{title}</h1>
      <p className="soft">{about}</p>
    </div>
    {children}
  </header>
);

interface SectionProps extends Omit<ComponentProps<'section'>, 'title'> {
  readonly title: string;
}

/** A section of a page under its heading. */
export const Section = ({ title, children, ...section }: SectionProps) => (
  <section aria-label={title} {...section}>
    <h2>{title}</h2>
    {children}
  </section>
);

/** The button that leads from what is open back to its list, on a narrow screen. */
export const Back = (button: ComponentProps<typeof Button>) => <Button className="back" {...button} />;

interface ListTableProps {
  /** The name of the region. */
  readonly label: string;
  readonly headings: readonly string[];
  /** The heading of the last column, whose buttons need none on screen. */
  readonly deeds?: string;
  /** Whether rows are entries of a ledger, in smaller print. */
  readonly isLedger?: boolean;
  /** Whether further rows are not read yet. */
  readonly hasMore?: boolean;
  readonly onPointerEnter?: PointerEventHandler;
  readonly onPointerLeave?: PointerEventHandler;
  /** The rows. */
  readonly children: ReactNode;
}

/** Returns the headings for the style sheet, which shows one before each value where columns don't fit. */
const headingStyle = (headings: readonly string[]): CSSProperties =>
  Object.fromEntries(headings.map((heading, at) => [`--heading-${String(at + 1)}`, JSON.stringify(heading)]));

export const ListTable = ({
  label,
  headings,
  deeds,
  isLedger = false,
  hasMore = false,
  children,
  ...pointer
}: ListTableProps) => (
  <div className="table" tabIndex={0} role="region" aria-label={label} {...pointer}>
    <table
      aria-rowcount={hasMore ? -1 : undefined}
      className={isLedger ? 'agents ledger' : 'agents'}
      style={headingStyle(headings)}
    >
      <thead>
        <tr>
          {headings.map((heading) => (
            <th key={heading}>{heading}</th>
          ))}
          {deeds !== undefined && (
            <th>
              <span className="hidden">{deeds}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);
