/** For whom triage's results are performed: the service for what a rule says, the app for what it answers. */
import { appAccess, fullAccess } from '../access/access.ts';
import type { Principal } from '../access/principal.ts';

export const rulesPrincipal: Principal = {
  type: 'system',
  id: null,
  name: 'triage',
  mode: 'normal',
  role: null,
  access: fullAccess,
  environments: ['*'],
};

/** Without the id of a key: any instance may have answered. */
export const appPrincipal: Principal = {
  type: 'app',
  id: null,
  name: 'app',
  mode: 'normal',
  role: null,
  access: appAccess,
  environments: ['*'],
};
