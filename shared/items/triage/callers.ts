/** The principals that triage is performed for: the service for results of rules, the app for its own answers. For workers/jobs/triageItem.ts. */
import { appAccess, fullAccess } from '../../accounts/access/access.ts';
import type { Principal } from '../../accounts/access/principal.ts';

export const rulesPrincipal: Principal = {
  type: 'system',
  id: null,
  name: 'triage',
  mode: 'normal',
  role: null,
  access: fullAccess,
  environments: ['*'],
};

/** Has no id, as instances with different app keys may have answered. */
export const appPrincipal: Principal = {
  type: 'app',
  id: null,
  name: 'app',
  mode: 'normal',
  role: null,
  access: appAccess,
  environments: ['*'],
};
