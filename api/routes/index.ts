/** Every endpoint of an environment, in the order in which the documents show them. */
import type { Endpoint } from '../endpoint.ts';
import { auditEndpoints } from './audit.ts';
import { bulkEndpoints } from './bulk.ts';
import { discoveryEndpoints } from './discovery.ts';
import { itemEndpoints } from './items.ts';
import { itemChangeEndpoints } from './itemChanges.ts';
import { liveEndpoints } from './live.ts';

export const endpoints: readonly Endpoint[] = [
  ...discoveryEndpoints,
  ...itemEndpoints,
  ...itemChangeEndpoints,
  ...bulkEndpoints,
  ...liveEndpoints,
  ...auditEndpoints,
];
