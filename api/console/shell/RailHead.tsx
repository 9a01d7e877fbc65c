/** The head of the rail: the environment, the search, and, on a narrow screen, what opens the rest and what waits for a decision. Used by Rail. */
import { Link } from '@tanstack/react-router';
import type { Ref } from 'react';
import { ariaKeys } from '../ui/Button.tsx';
import { Options } from '../ui/fields.tsx';
import { count } from '../ui/time.ts';
import { publicBase } from '../wire/base.ts';
import type { Me } from '../wire/types.ts';
import { useSession } from './session.ts';
import { shellTexts } from './texts.tsx';

/** The id of the list that the menu opens. */
export const placesId = 'places';

const Icon = ({ path }: { readonly path: string }) => (
  <svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden>
    <path d={path} strokeLinecap="round" />
  </svg>
);

interface RailHeadProps {
  readonly me: Me;
  readonly menu: Ref<HTMLButtonElement>;
  /** How many requests the person can decide. */
  readonly decidable: number;
  readonly isOpen: boolean;
  readonly onMenu: () => void;
  readonly onSearch: () => void;
}

export const RailHead = ({ me, menu, decidable, isOpen, onMenu, onSearch }: RailHeadProps) => {
  const { environment } = useSession();
  return (
    <div className="rail-head">
      <button
        type="button"
        className="rail-icon rail-menu"
        ref={menu}
        aria-label={shellTexts.menu}
        aria-expanded={isOpen}
        aria-controls={placesId}
        onClick={onMenu}
      >
        <Icon path={isOpen ? 'M3 3l10 10M13 3L3 13' : 'M2 4h12M2 8h12M2 12h12'} />
      </button>
      <strong>{environment}</strong>
      {me.environments.length > 1 && (
        <select
          aria-label={shellTexts.environment}
          value={environment}
          onChange={({ target }) => location.assign(`${publicBase}/env/${encodeURIComponent(target.value)}`)}
        >
          <Options of={me.environments.map(({ name }) => [name, name])} />
        </select>
      )}
      {decidable > 0 && (
        <Link className="rail-decide" to="/env/$environment/approvals" params={{ environment }}>
          {shellTexts.approvals} <span className="rail-count call">{count(decidable)}</span>
        </Link>
      )}
      <button
        type="button"
        className="rail-icon rail-search"
        aria-label={shellTexts.search}
        aria-keyshortcuts={ariaKeys('⌘K')}
        title={shellTexts.search}
        onClick={onSearch}
      >
        <Icon path="M7 2a5 5 0 1 0 0 10A5 5 0 1 0 7 2M10.7 10.7L14 14" />
      </button>
    </div>
  );
};
