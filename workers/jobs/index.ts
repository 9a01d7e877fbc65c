/** Every background job and its handler; complete by type over the catalogue's `jobs`. */
import type { JobHandlers } from '../handler.ts';
import { actionRun } from './actionRun.ts';
import { bulkChunk } from './bulkChunk.ts';
import { erase } from './erase.ts';
import { rampStep } from './rampStep.ts';
import { replySend } from './replySend.ts';
import { triageItemJob } from './triageItem.ts';

export const handlers: JobHandlers = { actionRun, bulkChunk, erase, rampStep, replySend, triageItem: triageItemJob };
