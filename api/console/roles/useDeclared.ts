/** The declared inboxes, resources, actions, pages and flags that the person sees. Used by the pages of roles. */
import { useMemo } from 'react';
import { useRead } from '../shell/session.ts';
import { actionsQuery, resourcesQuery } from '../wire/actionQueries.ts';
import { flagsQuery, pagesQuery } from '../wire/appQueries.ts';
import { inboxesQuery } from '../wire/queries.ts';
import type { NamedKind } from './grants.ts';

export interface Declared {
  readonly name: string;
  readonly label: string;
  /** The resource of an action; null: it takes no record. */
  readonly resource: string | null;
}

export const useDeclared = (): Readonly<Record<NamedKind, readonly Declared[]>> => {
  const { data: inboxes } = useRead(inboxesQuery);
  const { data: resources } = useRead(resourcesQuery);
  const { data: actions } = useRead(actionsQuery);
  const { data: pages } = useRead(pagesQuery);
  const { data: flags } = useRead(flagsQuery);
  return useMemo(() => {
    const plain = (each: { readonly name: string; readonly label: string }): Declared => ({
      name: each.name,
      label: each.label,
      resource: null,
    });
    return {
      inbox: inboxes?.map(plain) ?? [],
      resource: resources?.map(plain) ?? [],
      action: actions?.map(({ name, label, resource }) => ({ name, label, resource })) ?? [],
      page: pages?.map(plain) ?? [],
      flag: flags?.map(({ flag }) => ({ name: flag, label: flag, resource: null })) ?? [],
    };
  }, [inboxes, resources, actions, pages, flags]);
};
