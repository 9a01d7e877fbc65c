/** The rail: where one can go with what waits there, saved views, and how complete the page is. Used by Shell. */
import { Link, useLocation } from '@tanstack/react-router';
import { useRef, useState, type Ref } from 'react';
import { useStreamState } from '../live/stream.ts';
import { Button, ariaKeys } from '../ui/Button.tsx';
import { Options } from '../ui/fields.tsx';
import { count } from '../ui/plural.ts';
import { clockTime } from '../ui/time.ts';
import { publicBase } from '../wire/base.ts';
import { callsOf, countsQuery, inboxesQuery, type SavedView, savedViewsQuery } from '../wire/queries.ts';
import type { Me } from '../wire/types.ts';
import { may, mayAny, maySelect } from './rights.ts';
import { useSession, useRead } from './session.ts';
import { shellTexts } from './texts.tsx';
import { nextTheme, useTheme } from './theme.ts';

/** The id of the list that the menu opens. */
const placesId = 'places';

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

/** The head of the rail: the environment, the search, and, on a narrow screen, what opens the rest and what waits for a decision. */
const RailHead = ({ me, menu, decidable, isOpen, onMenu, onSearch }: RailHeadProps) => {
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
          {shellTexts.places.approvals} <span className="rail-count call">{count(decidable)}</span>
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

interface RailViewsProps {
  /** null: views of all inboxes. */
  readonly inbox: string | null;
  /** The person's id. */
  readonly me: string | null;
}

/** The saved views of an inbox, or of all, below its name. */
const RailViews = ({ inbox, me }: RailViewsProps) => {
  const { environment } = useSession();
  const { data: views = [] } = useRead(savedViewsQuery);
  const shown = views.filter((view) => view.inbox === inbox);
  if (shown.length === 0) return null;
  const titleOf = ({ owner }: SavedView): string =>
    owner.id === me ? shellTexts.ownView : shellTexts.sharedView(owner.name);
  return (
    <ul className="rail-views">
      {shown.map((view) => {
        const more = { search: { view: view.id }, title: titleOf(view), className: 'rail-name' };
        return (
          <li key={view.id}>
            {inbox === null ? (
              <Link to="/env/$environment/items" params={{ environment }} {...more}>
                {view.name}
              </Link>
            ) : (
              <Link to="/env/$environment/inbox/$inbox" params={{ environment, inbox }} {...more}>
                {view.name}
              </Link>
            )}
          </li>
        );
      })}
    </ul>
  );
};

const Connection = () => {
  const { status, completeAt, isOffline } = useStreamState(useSession().stream());
  const time = completeAt === null ? null : clockTime(completeAt);
  if (status === 'complete' && time !== null)
    return (
      <p className="connection complete" title={shellTexts.completeAbout}>
        {shellTexts.complete(time)}
      </p>
    );
  if (isOffline)
    return (
      <p className="connection broken" role="status">
        {time === null ? shellTexts.noNetwork : shellTexts.noNetworkSince(time)}
      </p>
    );
  return (
    <p className={`connection ${status}`} role="status">
      {time === null ? shellTexts.connecting : shellTexts.notConnected(time)}
    </p>
  );
};

interface RailProps {
  readonly me: Me;
  readonly onSearch: () => void;
  readonly onSignOut: () => void;
}

/** The pages of what the app declares, each for those who see anything of it. */
const dataPlaces = [
  { on: 'page', to: '/env/$environment/pages', text: shellTexts.places.pages },
  { on: 'resource', to: '/env/$environment/records', text: shellTexts.places.records },
  { on: 'action', to: '/env/$environment/runs', text: shellTexts.places.runs },
  { on: 'flag', to: '/env/$environment/flags', text: shellTexts.places.flags },
] as const;

/** On a narrow screen it is one line, from which all of it opens over the page, until somebody has gone somewhere. */
export const Rail = ({ me, onSearch, onSignOut }: RailProps) => {
  const { environment } = useSession();
  const { data: inboxes } = useRead(inboxesQuery);
  const { data: counts } = useRead(countsQuery);
  const [theme, setTheme] = useTheme();
  const decidable = callsOf(counts);
  const params = { environment };
  const { href } = useLocation();
  const [openAt, setOpenAt] = useState<string | null>(null);
  const isOpen = openAt === href;
  const close = (): void => setOpenAt(null);
  const menu = useRef<HTMLButtonElement>(null);
  const data = dataPlaces.filter(({ on }) => mayAny(me, on));
  return (
    <nav
      className={`rail ${isOpen ? 'open' : ''}`}
      aria-label={shellTexts.console}
      onKeyDown={(event) => {
        if (!isOpen || event.key !== 'Escape') return;
        event.stopPropagation();
        close();
        menu.current?.focus();
      }}
      onBlur={({ relatedTarget, currentTarget }) => {
        // What lies behind is out of sight.
        if (isOpen && relatedTarget !== null && !currentTarget.contains(relatedTarget)) close();
      }}
    >
      <RailHead
        me={me}
        menu={menu}
        decidable={decidable}
        isOpen={isOpen}
        onMenu={() => setOpenAt(isOpen ? null : href)}
        onSearch={() => {
          close();
          onSearch();
        }}
      />
      <ul
        id={placesId}
        onClick={({ target }) => {
          if (target instanceof Element && target.closest('a') !== null) close();
        }}
      >
        <li>
          <Link to="/env/$environment" params={params} activeOptions={{ exact: true }}>
            {shellTexts.places['']}
          </Link>
        </li>
        <li className="rail-label">{shellTexts.inboxes}</li>
        <li>
          <Link to="/env/$environment/items" params={params}>
            {shellTexts.places.items}
          </Link>
          <RailViews inbox={null} me={me.principal.id} />
        </li>
        {inboxes?.map(({ name, label }) => {
          const active = counts?.inboxes[name]?.active;
          return (
            <li key={name}>
              <Link to="/env/$environment/inbox/$inbox" params={{ environment, inbox: name }}>
                <span className="rail-name">{label}</span>
                {active !== undefined && active.total > 0 && (
                  <span
                    className={`rail-count ${active.overdue > 0 ? 'late' : ''}`}
                    title={shellTexts.inboxCount(active.total, active.overdue)}
                  >
                    {count(active.total)}
                  </span>
                )}
              </Link>
              <RailViews inbox={name} me={me.principal.id} />
            </li>
          );
        })}
        {inboxes !== undefined && maySelect(inboxes) && (
          <li>
            <Link to="/env/$environment/bulks" params={params}>
              {shellTexts.places.bulks}
            </Link>
          </li>
        )}
        {data.length > 0 && <li className="rail-label">{shellTexts.data}</li>}
        {data.map(({ to, text }) => (
          <li key={to}>
            <Link to={to} params={params}>
              {text}
            </Link>
          </li>
        ))}
        {may(me, 'approvals', 'see') && (
          <>
            <li className="rail-label">{shellTexts.decide}</li>
            <li>
              <Link to="/env/$environment/approvals" params={params}>
                <span className="rail-name">{shellTexts.places.approvals}</span>
                {decidable > 0 && <span className="rail-count call">{count(decidable)}</span>}
              </Link>
            </li>
          </>
        )}
        <li className="rail-last">
          <Link
            to="/env/$environment/settings/{-$section}/{-$id}"
            params={{ environment, section: undefined, id: undefined }}
          >
            {shellTexts.places.settings}
          </Link>
        </li>
      </ul>
      <div className="rail-foot">
        <Connection />
        <p className="rail-me" title={me.role?.name}>
          {me.principal.name} <span className="soft">{me.role?.name}</span>
        </p>
        <div className="rail-deeds">
          <Button tone="bare" onClick={() => setTheme(nextTheme(theme))} title={shellTexts.themeAbout}>
            {shellTexts.themes[theme]}
          </Button>
          <Button tone="bare" onClick={onSignOut}>
            {shellTexts.signOut}
          </Button>
        </div>
      </div>
    </nav>
  );
};
