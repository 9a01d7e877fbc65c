/** The names of people by their ids, as far as the role may know them. Used by the pages. */
import { useMemo } from 'react';
import { useRead } from '../shell/session.ts';
import { uiTexts } from '../ui/texts.tsx';
import { inboxesQuery, meQuery, peopleQuery } from '../wire/queries.ts';
import type { Person } from '../wire/types.ts';

export interface Names {
  readonly me: string | null;
  /** Those whom one may assign to; none where one may not. */
  readonly people: readonly Person[];
  readonly of: (id: string | null) => string;
  /** Whether the name is not known to this role, so that another word stands in its place. */
  readonly isUnknown: (id: string) => boolean;
}

const nothing: readonly never[] = [];

export const useNames = (): Names => {
  const { data: inboxes } = useRead(inboxesQuery);
  const mayAssign = inboxes?.some(({ can }) => can.includes('assign')) === true;
  const { data: people = nothing } = useRead(peopleQuery, { enabled: mayAssign });
  const { data: me } = useRead(meQuery);
  return useMemo(() => {
    const own = me?.principal ?? null;
    const isSelf = (id: string): boolean => id === own?.id;
    const byId = new Map(people.map(({ id, name }) => [id, name]));
    return {
      me: own?.id ?? null,
      people,
      of: (id) =>
        id === null
          ? uiTexts.people.nobody
          : own !== null && isSelf(id)
            ? own.name
            : (byId.get(id) ?? uiTexts.people.unknown),
      isUnknown: (id) => !isSelf(id) && !byId.has(id),
    };
  }, [people, me]);
};
