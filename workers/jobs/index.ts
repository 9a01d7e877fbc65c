/** Every background job and its handler; complete by type over the catalogue's `jobs`. */
import type { BulkPace } from '../bulkPace.ts';
import type { JobHandlers } from '../handler.ts';
import { actionRun } from './actionRun.ts';
import { bulkChunkAt } from './bulkChunk.ts';
import { erase } from './erase.ts';
import { rampStep } from './rampStep.ts';
import { replySend } from './replySend.ts';
import { triageItemJob } from './triageItem.ts';

/** Returns the handlers of a worker process whose bulks keep a pace. */
export const createHandlers = (pace: BulkPace): JobHandlers => ({
  actionRun,
  bulkChunk: bulkChunkAt(pace),
  erase,
  rampStep,
  replySend,
  triageItem: triageItemJob,
});
