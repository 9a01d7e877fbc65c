/** The endpoints that tools are made of, by name. Used by actions.ts and tools/. */
import type { Endpoint } from '../endpoint.ts';
import { actionEndpoints } from '../routes/actions.ts';
import { approvalEndpoints } from '../routes/approvals.ts';
import { bulkEndpoints } from '../routes/bulk.ts';
import { countEndpoints } from '../routes/counts.ts';
import { discoveryEndpoints } from '../routes/discovery.ts';
import { flagEndpoints } from '../routes/flags.ts';
import { itemChangeEndpoints } from '../routes/itemChanges.ts';
import { itemClaimEndpoints } from '../routes/itemClaims.ts';
import { itemEndpoints } from '../routes/items.ts';
import { itemSummaryEndpoints } from '../routes/itemSummary.ts';
import { liveEndpoints } from '../routes/live.ts';
import { ownAccountEndpoints } from '../routes/me.ts';
import { pageEndpoints } from '../routes/pages.ts';
import { peopleEndpoints } from '../routes/people.ts';
import { resourceEndpoints } from '../routes/resources.ts';
import { runEndpoints } from '../routes/runs.ts';
import { searchEndpoints } from '../routes/search.ts';

const byName = new Map(
  [
    ...ownAccountEndpoints,
    ...discoveryEndpoints,
    ...peopleEndpoints,
    ...itemEndpoints,
    ...itemSummaryEndpoints,
    ...itemChangeEndpoints,
    ...itemClaimEndpoints,
    ...bulkEndpoints,
    ...resourceEndpoints,
    ...actionEndpoints,
    ...runEndpoints,
    ...pageEndpoints,
    ...flagEndpoints,
    ...approvalEndpoints,
    ...countEndpoints,
    ...searchEndpoints,
    ...liveEndpoints,
  ].map((endpoint) => [endpoint.name, endpoint]),
);

/** Returns an endpoint. Throws for a name that no endpoint has. */
export const getEndpoint = (name: string): Endpoint => {
  const endpoint = byName.get(name);
  if (endpoint === undefined) throw new Error(`There is no endpoint ${name}.`);
  return endpoint;
};
