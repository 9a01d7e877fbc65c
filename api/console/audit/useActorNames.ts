/** Those who can be chosen in the audit log, by name: who is kept in the settings, for those who manage them, whom one may assign to, and who did what is shown. Used by AuditFilters. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useNames } from '../content/names.ts';
import { allows } from '../settings/sections.ts';
import { useSession } from '../shell/session.ts';
import { meQuery } from '../wire/queries.ts';
import { settingsNamesQuery } from '../wire/settingsQueries.ts';
import type { AuditEntry } from '../wire/types.ts';

/** Ids of principals, by what they begin with: roles act on nothing. */
const principal = /^(?:agt|per|key)_/;

interface ActorNames {
  /** In alphabetical order; one that several have is followed by the id. */
  readonly names: readonly string[];
  /** Returns the name of an id, or what is given when nobody is known by it. */
  nameOf(id: string | undefined): string | undefined;
  /** Returns the id of one of the names; undefined: nobody has it. */
  idOf(name: string): string | undefined;
}

export const useActorNames = (entries: readonly AuditEntry[]): ActorNames => {
  const { http } = useSession();
  const { data: me } = useQuery(meQuery(http));
  const mayManage = me !== undefined && allows(me, 'settings: manage');
  const { data: kept } = useQuery({ ...settingsNamesQuery(http), enabled: mayManage });
  const { people } = useNames();
  return useMemo(() => {
    const names = new Map([...(kept ?? [])].filter(([id]) => principal.test(id)));
    for (const { id, name } of people) names.set(id, names.get(id) ?? name);
    for (const { actor } of entries) if (actor.id !== null) names.set(actor.id, names.get(actor.id) ?? actor.name);
    const timesUsed = new Map<string, number>();
    for (const name of names.values()) timesUsed.set(name, (timesUsed.get(name) ?? 0) + 1);
    const shown = new Map([...names].map(([id, name]) => [id, timesUsed.get(name) === 1 ? name : `${name} (${id})`]));
    const ids = new Map([...shown].map(([id, name]) => [name, id]));
    return {
      names: [...shown.values()].sort((a, b) => a.localeCompare(b)),
      nameOf: (id) => (id === undefined ? undefined : (shown.get(id) ?? id)),
      idOf: (name) => ids.get(name),
    };
  }, [kept, entries, people]);
};
