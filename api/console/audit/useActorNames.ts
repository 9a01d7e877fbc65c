/** Those who can be chosen in the audit log, by name: who is kept in the settings, for those who manage them, and who did what is shown. Used by AuditFilters. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { allows } from '../settings/sections.ts';
import { useSession } from '../shell/session.ts';
import { hasWords } from '../ui/choose.ts';
import { meQuery } from '../wire/queries.ts';
import { settingsNamesQuery } from '../wire/settingsQueries.ts';
import type { AuditEntry } from '../wire/types.ts';

/** Ids of principals, by what they begin with: roles act on nothing. */
const principal = /^(?:agt|per|key)_/;

/** Returns the id of the only name with the words; undefined: there is none, or several. */
const onlyWith = (ids: ReadonlyMap<string, string>, words: string): string | undefined => {
  const found = words === '' ? [] : [...ids].filter(([name]) => hasWords(name, words));
  return found.length === 1 ? found[0]?.[1] : undefined;
};

interface ActorNames {
  /** In alphabetical order; one that several have is followed by the id. */
  readonly names: readonly string[];
  /** Returns the name of an id, or what is given when nobody is known by it. */
  nameOf(id: string | undefined): string | undefined;
  /** Returns the id of a name, whatever its case, or of the only one that has the words, or what is given when nobody is known by it. */
  idOf(name: string): string;
}

export const useActorNames = (entries: readonly AuditEntry[]): ActorNames => {
  const { http } = useSession();
  const { data: me } = useQuery(meQuery(http));
  const mayManage = me !== undefined && allows(me, 'settings: manage');
  const { data: kept } = useQuery({ ...settingsNamesQuery(http), enabled: mayManage });
  return useMemo(() => {
    const names = new Map([...(kept ?? [])].filter(([id]) => principal.test(id)));
    for (const { actor } of entries) if (actor.id !== null) names.set(actor.id, names.get(actor.id) ?? actor.name);
    const timesUsed = new Map<string, number>();
    for (const name of names.values()) timesUsed.set(name, (timesUsed.get(name) ?? 0) + 1);
    const shown = new Map([...names].map(([id, name]) => [id, timesUsed.get(name) === 1 ? name : `${name} (${id})`]));
    const ids = new Map([...shown].map(([id, name]) => [name.toLowerCase(), id]));
    return {
      names: [...shown.values()].sort((a, b) => a.localeCompare(b)),
      nameOf: (id) => (id === undefined ? undefined : (shown.get(id) ?? id)),
      idOf: (name) => ids.get(name.toLowerCase()) ?? onlyWith(ids, name) ?? name,
    };
  }, [kept, entries]);
};
