/** Every endpoint of an environment, in the order in which the documents show them. */
import type { Endpoint } from '../endpoint.ts';
import { actionEndpoints } from './actions.ts';
import { appEndpoints } from './app.ts';
import { approvalEndpoints } from './approvals.ts';
import { auditEndpoints } from './audit.ts';
import { bulkEndpoints } from './bulk.ts';
import { discoveryEndpoints } from './discovery.ts';
import { flagEndpoints } from './flags.ts';
import { itemEndpoints } from './items.ts';
import { itemChangeEndpoints } from './itemChanges.ts';
import { liveEndpoints } from './live.ts';
import { mcpEndpoints } from './mcp.ts';
import { pageEndpoints } from './pages.ts';
import { runEndpoints } from './runs.ts';
import { ofrepEndpoints } from './ofrep.ts';
import { resourceEndpoints } from './resources.ts';
import { settingsEndpoints } from './settings.ts';
import { signInEndpoints } from './signIn.ts';

export const endpoints: readonly Endpoint[] = [
  ...discoveryEndpoints,
  ...itemEndpoints,
  ...itemChangeEndpoints,
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
  ...signInEndpoints,
  ...settingsEndpoints,
];
