/** Every background job and its handler; complete by type over the catalogue's `jobs`. */
import type { Handlers } from '../handler.ts';
import { bulkChunk } from './bulkChunk.ts';

export const handlers: Handlers = { bulkChunk };
