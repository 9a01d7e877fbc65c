/** The registry of metrics that every kind of process has. Its folder's neighbours add theirs; api/http/metrics.ts serves them. */
import { Registry } from 'prom-client';

export const platformRegistry = new Registry();
