/** Erases what identifies a person, as far as it can be erased now, and comes again for the rest. */
import { erase as eraseAll } from '../../shared/erasure/erase.ts';
import { done, retryAt, type JobHandler } from '../handler.ts';

export const erase: JobHandler<'erase'> = async ({ payload }, deps) => {
  const nextAt = await eraseAll(deps, payload.erasure);
  return nextAt === null ? done() : retryAt(nextAt);
};
