/** Every endpoint of an environment, in the order in which the documents show them. */
import type { Endpoint } from './endpoint.ts';
import { mcpEndpoints } from './mcp/endpoint.ts';
import { actionEndpoints } from './routes/actions.ts';
import { approvalEndpoints } from './routes/approvals.ts';
import { auditEndpoints } from './routes/audit.ts';
import { bulkEndpoints } from './routes/bulk.ts';
import { countEndpoints } from './routes/counts.ts';
import { appEndpoints, discoveryEndpoints } from './routes/discovery.ts';
import { flagEndpoints } from './routes/flags.ts';
import { itemChangeEndpoints } from './routes/itemChanges.ts';
import { itemClaimEndpoints } from './routes/itemClaims.ts';
import { itemEndpoints } from './routes/items.ts';
import { itemSummaryEndpoints } from './routes/itemSummary.ts';
import { liveEndpoints } from './routes/live.ts';
import { ownAccountEndpoints } from './routes/me.ts';
import { ofrepEndpoints } from './routes/ofrep.ts';
import { openIdSignInEndpoints } from './routes/openIdSignIn.ts';
import { pageEndpoints } from './routes/pages.ts';
import { peopleEndpoints } from './routes/people.ts';
import { resourceEndpoints } from './routes/resources.ts';
import { runEndpoints } from './routes/runs.ts';
import { savedViewEndpoints } from './routes/savedViews.ts';
import { searchEndpoints } from './routes/search.ts';
import { settingsEndpoints } from './routes/settings.ts';
import { signInEndpoints } from './routes/signIn.ts';

export const endpoints: readonly Endpoint[] = [
  ...ownAccountEndpoints,
  ...savedViewEndpoints,
  ...discoveryEndpoints,
  ...peopleEndpoints,
  ...countEndpoints,
  ...itemSummaryEndpoints,
  ...itemEndpoints,
  ...searchEndpoints,
  ...itemChangeEndpoints,
  ...itemClaimEndpoints,
  ...actionEndpoints,
  ...runEndpoints,
  ...approvalEndpoints,
  ...bulkEndpoints,
  ...pageEndpoints,
  ...flagEndpoints,
  ...ofrepEndpoints,
  ...resourceEndpoints,
  ...liveEndpoints,
  ...mcpEndpoints,
  ...appEndpoints,
  ...auditEndpoints,
  ...openIdSignInEndpoints,
  ...signInEndpoints,
  ...settingsEndpoints,
];
