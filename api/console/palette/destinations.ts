/** Places that the palette finds by name in the browser's cache: views, pages, flags, actions. Used by the palette. */
import { useQuery } from '@tanstack/react-query';
import { allows, sections } from '../settings/sections.ts';
import { may, mayAny } from '../shell/rights.ts';
import { useSession } from '../shell/session.ts';
import type { Option } from '../ui/option.ts';
import { actionsQuery, resourcesQuery } from '../wire/actionQueries.ts';
import { flagsQuery } from '../wire/flagQueries.ts';
import { pagesQuery } from '../wire/pageQueries.ts';
import { inboxesQuery, viewsQuery } from '../wire/queries.ts';
import type { Action, Me, View } from '../wire/types.ts';

const part = encodeURIComponent;

const viewPlace = ({ name, label, inbox }: View): Option => ({
  id: `${inbox === null ? 'items' : `inbox/${part(inbox)}`}?view=${part(name)}`,
  label,
  hint: 'view',
});

/** An action on records begins with the choice of one. */
const actionPlace = ({ name, label, resource }: Action): Option =>
  resource === null
    ? { id: `runs?act=${part(name)}`, label, hint: 'action' }
    : { id: `records/${part(resource)}?act=${part(name)}`, label, hint: `action, ${resource}` };

/** Returns the places by their address below the environment's. */
export const useDestinations = (me: Me): readonly Option[] => {
  const { http } = useSession();
  const sees = { resource: mayAny(me, 'resource'), action: mayAny(me, 'action'), flag: mayAny(me, 'flag') };
  const seesPages = mayAny(me, 'page');
  const { data: inboxes = [] } = useQuery(inboxesQuery(http));
  const { data: views = [] } = useQuery(viewsQuery(http));
  const { data: resources = [] } = useQuery({ ...resourcesQuery(http), enabled: sees.resource });
  const { data: actions = [] } = useQuery({ ...actionsQuery(http), enabled: sees.action });
  const { data: pages = [] } = useQuery({ ...pagesQuery(http), enabled: seesPages });
  const { data: flags = [] } = useQuery({ ...flagsQuery(http), enabled: sees.flag });
  const goTo = (isSeen: boolean, id: string, label: string, hint = 'go to'): Option[] =>
    isSeen ? [{ id, label, hint }] : [];
  return [
    { id: '', label: 'Home', hint: 'go to' },
    { id: 'items', label: 'All inboxes', hint: 'go to' },
    ...inboxes.map(({ name, label }) => ({ id: `inbox/${part(name)}`, label, hint: 'inbox' })),
    ...views.map(viewPlace),
    ...goTo(seesPages, 'pages', 'Pages'),
    ...pages.map(({ name, label }) => ({ id: `pages/${part(name)}`, label, hint: 'page' })),
    ...goTo(sees.resource, 'records', 'Records'),
    ...resources.map(({ name, label }) => ({ id: `records/${part(name)}`, label, hint: 'records' })),
    ...goTo(sees.action, 'runs', 'Runs'),
    ...goTo(true, 'bulks', 'Bulks'),
    ...goTo(sees.flag, 'flags', 'Flags'),
    ...goTo(may(me, 'approvals', 'see'), 'approvals', 'Approvals'),
    { id: 'settings', label: 'Settings', hint: 'go to' },
    ...sections
      .filter(({ needs }) => needs === null || allows(me, needs))
      .map(({ name, label }) => ({ id: `settings/${name}`, label, hint: 'settings' })),
    ...actions.map(actionPlace),
    ...flags.map(({ flag }) => ({ id: `flags/${part(flag)}`, label: flag, hint: 'flag' })),
  ];
};
