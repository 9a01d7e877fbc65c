/** Whether there is a record with an id. Used by EraseForm. */
import { useSession } from '../shell/session.ts';
import { ApiError } from '../wire/apiError.ts';
import { recordQuery } from '../wire/recordQueries.ts';
import type { ErasureRequest } from '../wire/types.ts';

/** `missing`: there is none with this id; `unclear`: it can't be looked up now. */
export type Known = 'known' | 'missing' | 'unclear';

export const useLookUp = (): ((record: ErasureRequest['record']) => Promise<Known>) => {
  const { http, queries } = useSession();
  return async (record) => {
    try {
      await queries.fetchQuery({ ...recordQuery(http, record), retry: false });
      return 'known';
    } catch (error) {
      return error instanceof ApiError && error.status === 404 ? 'missing' : 'unclear';
    }
  };
};
