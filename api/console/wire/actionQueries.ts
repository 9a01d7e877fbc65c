/** Queries of what the app declares: resources, actions, and those that apply to a record now. Used by the inbox, the palette and the action sheet. */
import { queryOptions } from '@tanstack/react-query';
import type { Http } from './http.ts';
import { listQuery } from './reading.ts';
import type { Action, Availability, Resource } from './types.ts';

export const recordKeys = {
  /** Everything that is read of one record. */
  one: (resource: string, id: string) => ['record', resource, id],
} as const;

/** Milliseconds for which a declaration of the app is cached. */
const definitionMs = 60_000;

export const resourcesQuery = listQuery<Resource>(['resources'], '/resources', 'resources', {
  staleTime: definitionMs,
});

/** The actions that the role may run. */
export const actionsQuery = listQuery<Action>(['actions'], '/actions', 'actions', { staleTime: definitionMs });

export interface RecordRef {
  readonly resource: string;
  readonly id: string;
}

/** Which actions apply to a record now, and why others don't; read each time that somebody is about to act. */
export const availableQuery = (http: Http, { resource, id }: RecordRef) =>
  queryOptions({
    queryKey: [...recordKeys.one(resource, id), 'available'],
    queryFn: async ({ signal }) => {
      const asked = { body: { refs: [{ resource, id }] }, signal };
      return (await http.call<{ available: Availability[] }>('POST', '/available', asked)).body.available[0];
    },
    staleTime: 0,
    gcTime: 30_000,
  });
