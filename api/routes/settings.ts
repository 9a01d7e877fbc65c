/** The project's settings, for people with `settings: manage`. */
import { agents } from '../../shared/accounts/settings/agents.ts';
import { appKeys } from '../../shared/accounts/settings/appKeys.ts';
import { environments } from '../../shared/accounts/settings/environments/environments.ts';
import { loosenings } from '../../shared/accounts/settings/environments/loosenings.ts';
import { people } from '../../shared/accounts/settings/peopleResource.ts';
import type { Resource } from '../../shared/accounts/settings/resource.ts';
import { roles } from '../../shared/accounts/settings/roles.ts';
import type { Endpoint } from '../endpoint.ts';
import { resourceEndpoints } from './settings/endpoints.ts';
import { erasureSettings } from './settings/erasures.ts';
import { jobSettings } from './settings/jobs.ts';
import { activitySettings, usageSettings } from './settings/usage.ts';

/** Each is a row: shared/accounts/settings/resource.ts says what it has. */
export const settingsResources: readonly Resource[] = [agents, roles, people, appKeys, environments, loosenings];

export const settingsEndpoints: readonly Endpoint[] = [
  ...settingsResources.flatMap(resourceEndpoints),
  ...activitySettings,
  ...erasureSettings,
  ...jobSettings,
  ...usageSettings,
];
