/** The names of people by their ids, as far as the role may know them. Used by the pages. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useSession } from '../shell/session.ts';
import { meQuery, peopleQuery } from '../wire/queries.ts';
import type { Person } from '../wire/types.ts';
import { nameTexts } from './nameTexts.ts';

export interface Names {
  readonly me: string | null;
  /** Those whom one may assign to; none where one may not. */
  readonly people: readonly Person[];
  readonly of: (id: string | null) => string;
}

export const useNames = (): Names => {
  const { http } = useSession();
  const { data: people = [] } = useQuery(peopleQuery(http));
  const { data: me } = useQuery(meQuery(http));
  return useMemo(() => {
    const own = me?.principal ?? null;
    const byId = new Map(people.map(({ id, name }) => [id, name]));
    return {
      me: own?.id ?? null,
      people,
      of: (id) => (id === null ? nameTexts.nobody : id === own?.id ? own.name : (byId.get(id) ?? nameTexts.unknown)),
    };
  }, [people, me]);
};
