/** Erases what identifies a person, as far as it can be erased now, and comes again for the rest. */
import { erase as eraseWhatCan } from '../../shared/erasure/erase.ts';
import { done, retryAt, type JobHandler } from '../handler.ts';

/** ms until it looks again for what had not ended. */
const lookAgainMs = 2_000;

export const erase: JobHandler<'erase'> = async ({ payload }, deps) =>
  (await eraseWhatCan(deps, payload.erasure)) ? done() : retryAt(deps.clock.now() + lookAgainMs);
