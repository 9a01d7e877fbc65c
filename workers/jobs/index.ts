/** Every background job and its handler; complete by type over the catalogue's `jobs`. */
import type { Handlers } from '../handler.ts';
import { actionRun } from './actionRun.ts';
import { bulkChunk } from './bulkChunk.ts';
import { rampStep } from './rampStep.ts';
import { replySend } from './replySend.ts';
import { triageItem } from './triageItem.ts';

export const handlers: Handlers = { actionRun, bulkChunk, rampStep, replySend, triageItem };
