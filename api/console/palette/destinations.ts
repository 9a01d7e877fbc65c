/** Places that the palette finds by name in the browser's cache: views, pages, flags, actions. Used by the palette. */
import { useQuery } from '@tanstack/react-query';
import { allows, sections } from '../settings/sections.ts';
import { may, mayAny } from '../shell/rights.ts';
import { useSession } from '../shell/session.ts';
import type { Option } from '../ui/PickerDialog.tsx';
import { actionsQuery, resourcesQuery } from '../wire/actionQueries.ts';
import { flagsQuery } from '../wire/flagQueries.ts';
import { pagesQuery } from '../wire/pageQueries.ts';
import { inboxesQuery, viewsQuery } from '../wire/queries.ts';
import type { Action, Me, View } from '../wire/types.ts';
import { paletteTexts } from './texts.ts';

const part = encodeURIComponent;
const { hints } = paletteTexts;

const viewPlace = ({ name, label, inbox }: View): Option => ({
  id: `${inbox === null ? 'items' : `inbox/${part(inbox)}`}?view=${part(name)}`,
  label,
  hint: hints.view,
});

/** An action on records begins with the choice of one. */
const actionPlace = ({ name, label, resource }: Action): Option =>
  resource === null
    ? { id: `runs?act=${part(name)}`, label, hint: hints.action }
    : { id: `records/${part(resource)}?act=${part(name)}`, label, hint: hints.actionOn(resource) };

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
  const goTo = (isSeen: boolean, id: string, label: string): Option[] =>
    isSeen ? [{ id, label, hint: hints.goTo }] : [];
  return [
    ...goTo(true, '', paletteTexts.home),
    ...goTo(true, 'items', paletteTexts.allInboxes),
    ...inboxes.map(({ name, label }) => ({ id: `inbox/${part(name)}`, label, hint: hints.inbox })),
    ...views.map(viewPlace),
    ...goTo(seesPages, 'pages', paletteTexts.pages),
    ...pages.map(({ name, label }) => ({ id: `pages/${part(name)}`, label, hint: hints.page })),
    ...goTo(sees.resource, 'records', paletteTexts.records),
    ...resources.map(({ name, label }) => ({ id: `records/${part(name)}`, label, hint: hints.records })),
    ...goTo(sees.action, 'runs', paletteTexts.runs),
    ...goTo(true, 'bulks', paletteTexts.bulks),
    ...goTo(sees.flag, 'flags', paletteTexts.flags),
    ...goTo(may(me, 'approvals', 'see'), 'approvals', paletteTexts.approvals),
    ...goTo(true, 'settings', paletteTexts.settings),
    ...sections
      .filter(({ needs }) => needs === null || allows(me, needs))
      .map(({ name, label }) => ({ id: `settings/${name}`, label, hint: hints.settings })),
    ...actions.map(actionPlace),
    ...flags.map(({ flag }) => ({ id: `flags/${part(flag)}`, label: flag, hint: hints.flag })),
  ];
};
