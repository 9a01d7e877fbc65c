/** Stops and undoes bulks. Used by BulkLine and the selection of the inbox. */
import { useSession } from '../shell/session.ts';
import { keys } from '../wire/queries.ts';
import type { Bulk } from '../wire/types.ts';

interface BulkChanges {
  stop(bulk: Bulk): Promise<void>;
  /** Returns the id of the bulk that undoes it; null: it was refused, which a notice says. */
  undo(id: string): Promise<string | null>;
}

export const useBulkChanges = (): BulkChanges => {
  const { http, queries, notices } = useSession();
  const call = async (path: string): Promise<Bulk | null> => {
    try {
      const { body } = await http.call<{ bulk: Bulk }>('POST', path, { body: {} });
      queries.setQueryData(keys.bulk(body.bulk.id), body.bulk);
      void queries.invalidateQueries({ queryKey: keys.bulks });
      return body.bulk;
    } catch (error) {
      notices.show({ tone: 'failed', text: error instanceof Error ? error.message : String(error) });
      return null;
    }
  };
  return {
    stop: async ({ id }) => void (await call(`/bulk/${id}/cancel`)),
    undo: async (id) => (await call(`/bulk/${id}/undo`))?.id ?? null,
  };
};
