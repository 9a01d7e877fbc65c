/** The command palette: local commands and places, and the server's search results. Loaded by router.tsx, shown in the shell. */
import { keepPreviousData } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { kindOf } from '../inbox/filter.ts';
import { allows, sections } from '../settings/sections.ts';
import { type CopiedRequest, useCopies } from '../shell/copying.ts';
import { keyNames, printedKey } from '../shell/HelpDialog.tsx';
import { presentKeys } from '../shell/keyboard.ts';
import { may, mayAny } from '../shell/rights.ts';
import { useSession, useRead } from '../shell/session.ts';
import type { PaletteProps } from '../shell/Shell.tsx';
import { shellTexts } from '../shell/texts.tsx';
import { type Option, PickerDialog } from '../ui/PickerDialog.tsx';
import { useTypedSearch } from '../ui/SearchInput.tsx';
import { actionsQuery, resourcesQuery } from '../wire/actionQueries.ts';
import { flagsQuery, pagesQuery } from '../wire/appQueries.ts';
import { inboxesQuery, peopleQuery, viewsQuery } from '../wire/queries.ts';
import { foundPeopleQuery, foundQuery, itemOfIdQuery, type FoundPart } from '../wire/searchQueries.ts';
import type { AppRecord, Item, Person, Action, Me, View } from '../wire/types.ts';
import { shownRequest } from './shown.ts';
import { paletteTexts } from './texts.ts';

const part = encodeURIComponent;
const { groups, hints } = paletteTexts;
const { places } = shellTexts;

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
const useDestinations = (me: Me): readonly Option[] => {
  const sees = { resource: mayAny(me, 'resource'), action: mayAny(me, 'action'), flag: mayAny(me, 'flag') };
  const seesPages = mayAny(me, 'page');
  const { data: inboxes = [] } = useRead(inboxesQuery);
  const { data: views = [] } = useRead(viewsQuery);
  const { data: resources = [] } = useRead(resourcesQuery, { enabled: sees.resource });
  const { data: actions = [] } = useRead(actionsQuery, { enabled: sees.action });
  const { data: pages = [] } = useRead(pagesQuery, { enabled: seesPages });
  const { data: flags = [] } = useRead(flagsQuery, { enabled: sees.flag });
  const goTo = (isSeen: boolean, id: string, label: string): Option[] =>
    isSeen ? [{ id, label, hint: hints.goTo }] : [];
  return [
    ...goTo(true, '', places['']),
    ...goTo(true, 'items', places.items),
    ...inboxes.map(({ name, label }) => ({ id: `inbox/${part(name)}`, label, hint: hints.inbox })),
    ...views.map(viewPlace),
    ...goTo(seesPages, 'pages', places.pages),
    ...pages.map(({ name, label }) => ({ id: `pages/${part(name)}`, label, hint: hints.page })),
    ...goTo(sees.resource, 'records', places.records),
    ...resources.map(({ name, label }) => ({ id: `records/${part(name)}`, label, hint: hints.records })),
    ...goTo(sees.action, 'runs', places.runs),
    ...goTo(true, 'bulks', places.bulks),
    ...goTo(sees.flag, 'flags', places.flags),
    ...goTo(may(me, 'approvals', 'see'), 'approvals', places.approvals),
    ...goTo(true, 'settings', places.settings),
    ...sections
      .filter(({ needs }) => needs === null || allows(me, needs))
      .map(({ name, label }) => ({ id: `settings/${name}`, label, hint: hints.settings })),
    ...actions.map(actionPlace),
    ...flags.map(({ flag }) => ({ id: `flags/${part(flag)}`, label: flag, hint: hints.flag })),
  ];
};

/** A few words are found in tens of milliseconds, so a pause between two keys is enough. */
const typingMs = 60;

interface Command {
  readonly option: Option;
  readonly run: () => void;
}

const optionsOf = (commands: readonly Command[]): readonly Option[] => commands.map(({ option }) => option);

const capital = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;

/** Returns the commands of the screen behind the palette that are possible now. */
const screenCommands = (): readonly Command[] =>
  presentKeys().flatMap(({ scope, commands }, at) =>
    keyNames(scope).flatMap(([key, name]): Command[] => {
      const run = commands()[key];
      if (run === undefined) return [];
      const option = { id: `:${String(at)}:${key}`, label: capital(name), hint: hints.here, shortcut: printedKey(key) };
      return [{ option, run: () => run(new KeyboardEvent('keydown', { key })) }];
    }),
  );

const recordPlace = ({ resource, id, title }: AppRecord, group: string): Option => ({
  id: `records/${encodeURIComponent(resource)}?record=${encodeURIComponent(id)}`,
  label: title,
  hint: resource,
  group,
});

const itemPlace = ({ inbox, id, title, state }: Item, group: string): Option => ({
  id: `inbox/${encodeURIComponent(inbox)}?show=all&item=${id}`,
  label: title,
  hint: hints.item(inbox, state),
  group,
});

/** The list of all items with the words, which reads on. */
const restPlace = (q: string): Option => ({
  id: `items?show=all&q=${encodeURIComponent(q)}`,
  label: paletteTexts.moreMayMatch,
  hint: hints.allItems,
  group: groups.items,
});

const personPlace = ({ id, name }: Person): Option => ({
  id: `items?assignee=${id}`,
  label: name,
  hint: hints.theirItems,
  group: groups.people,
});

const nothing: FoundPart = { results: [], isPartial: false };

const isItemId = (q: string): boolean => /^itm_[0-9a-z]{26}$/.test(q);

/** Returns the server's search results for the words by kind: what has them as its id, people, what is open, and then the rest. */
const useFound = (words: string): readonly Option[] => {
  const q = words.trim();
  const isSearch = q.length > 1;
  const { data: inboxes = [] } = useRead(inboxesQuery);
  const { data: named = [] } = useRead((http) => ({ ...itemOfIdQuery(http, q), enabled: isItemId(q) }));
  const { data: found = nothing } = useRead((http) => ({
    ...foundQuery(http, q),
    enabled: isSearch,
    placeholderData: keepPreviousData,
  }));
  // People are searched only for roles that may assign: others have no list of people.
  const { data: known } = useRead(peopleQuery);
  const { data: people = [] } = useRead((http) => ({
    ...foundPeopleQuery(http, q),
    enabled: isSearch && known !== undefined,
    placeholderData: keepPreviousData,
  }));
  if (!isSearch) return [];
  const records = found.results.flatMap((each) => (each.type === 'record' ? [each.record] : []));
  const items = found.results.flatMap((each) => (each.type === 'item' && each.item.id !== q ? [each.item] : []));
  const isClosed = (item: Item): boolean => kindOf(inboxes, item) === 'closed';
  return [
    ...named.map((item) => itemPlace(item, groups.withId)),
    ...records.filter(({ id }) => id === q).map((record) => recordPlace(record, groups.withId)),
    ...people.map(personPlace),
    ...items.filter((item) => !isClosed(item)).map((item) => itemPlace(item, groups.items)),
    ...records.filter(({ id }) => id !== q).map((record) => recordPlace(record, groups.records)),
    ...items.filter(isClosed).map((item) => itemPlace(item, groups.closedItems)),
    ...(found.isPartial ? [restPlace(q)] : []),
  ];
};

/** Returns the commands that copy a request as programs would make it. */
const useCopyCommands = (): readonly Command[] => {
  const { http } = useSession();
  const { data: inboxes = [] } = useRead(inboxesQuery);
  const copiesOf = useCopies();
  const ofRequest = (request: CopiedRequest | null, id: string, named: (copy: string) => string): Command[] =>
    (request === null ? [] : copiesOf(request)).map(({ kind, label, run }) => ({
      option: { id: `:${kind}:${id}`, label: named(label), hint: hints.copy },
      run,
    }));
  return [
    ...ofRequest(shownRequest(new URL(location.href), inboxes), 'shown', paletteTexts.shownRequest),
    ...ofRequest(http.lastChange(), 'change', paletteTexts.lastChange),
  ];
};

export const Palette = ({ me, onHelp, onSignOut, onClose }: PaletteProps) => {
  const { environment, notices } = useSession();
  const navigate = useNavigate();
  const [q, setQ] = useState('');
  const search = useCallback((words: string) => setQ(words.slice(0, 200)), []);
  const [, setWords] = useTypedSearch(q, search, typingMs);
  const [here] = useState(screenCommands);
  const found = useFound(q);
  const copies = useCopyCommands();
  const commands: readonly Command[] = [
    ...here,
    { option: { id: ':undo', label: paletteTexts.undo, hint: hints.command, shortcut: 'u' }, run: notices.undo },
  ];
  /** Rarely used commands, listed after the places. */
  const lastCommands: readonly Command[] = [
    { option: { id: ':help', label: paletteTexts.keys, hint: hints.help, shortcut: '?' }, run: onHelp },
    { option: { id: ':out', label: paletteTexts.signOut, hint: hints.command }, run: onSignOut },
    ...copies,
  ];
  const destinations = useDestinations(me);
  const go = ({ id }: Option): void => {
    const command = [...commands, ...lastCommands].find(({ option }) => option.id === id);
    // After the dialog has given the focus back.
    window.setTimeout(command?.run ?? (() => void navigate({ href: `/env/${encodeURIComponent(environment)}/${id}` })));
  };
  return (
    <PickerDialog
      title={paletteTexts.title}
      placeholder={paletteTexts.placeholder}
      options={[...optionsOf(commands), ...destinations, ...optionsOf(lastCommands)]}
      found={found}
      onText={setWords}
      none={q === '' ? paletteTexts.none : paletteTexts.noneFound}
      onPick={go}
      onClose={onClose}
    />
  );
};
