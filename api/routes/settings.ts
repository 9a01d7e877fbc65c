/** The project's settings, for people with `settings: manage`. */
import type { Endpoint } from '../endpoint.ts';
import { activitySettings } from './settings/activity.ts';
import { agentSettings } from './settings/agents.ts';
import { appKeySettings } from './settings/appKeys.ts';
import { environmentSettings } from './settings/environments.ts';
import { erasureSettings } from './settings/erasures.ts';
import { jobSettings } from './settings/jobs.ts';
import { looseningSettings } from './settings/loosenings.ts';
import { peopleSettings } from './settings/people.ts';
import { roleSettings } from './settings/roles.ts';

export const settingsEndpoints: readonly Endpoint[] = [
  ...agentSettings,
  ...activitySettings,
  ...roleSettings,
  ...peopleSettings,
  ...appKeySettings,
  ...environmentSettings,
  ...looseningSettings,
  ...erasureSettings,
  ...jobSettings,
];
