/** The rows of the permission matrix of settings: each endpoint, on each kind of object, and what each persona is answered. Written by hand from the contract. */

/**
 * `all` is an admin with access to all environments whose sign-in is fresh. `boss` is one too, `worn` one whose sign-in
 * isn't fresh, `mgr` has a role with nothing but `settings: manage`, and a fresh sign-in; these three have access to
 * this environment alone. `pers` is an operator, fresh too;
 * `agent` an admin's agent, `app` an app key, `none` an agent without grants, `gone` an admin who was removed, `away`
 * a fresh admin of another environment.
 */
export const personas = ['all', 'boss', 'worn', 'mgr', 'pers', 'agent', 'app', 'none', 'gone', 'away'] as const;
export type Persona = (typeof personas)[number];

/** `wide`: with access to all environments; `else`: to another one only; `used`: a role that somebody has, a loosening that is decided; `no`: nothing. */
export type Thing = '' | 'own' | 'wide' | 'else' | 'used' | 'builtIn' | 'no';

export const rows: readonly [string, Thing, string][] = [
  //                                             all  boss worn mgr  pers agent app none gone away
  ['GET /settings/agents', '', '200  200  200  200  403  403  403  403  401  404'],
  ['POST /settings/agents', '', '201  201  403  201  403  403  403  403  401  404'],
  ['PATCH /settings/agents/{id}', 'own', '200  200  200  200  403  403  403  403  401  404'],
  ['PATCH /settings/agents/{id}', 'wide', '200  403  403  403  403  403  403  403  401  404'],
  ['PATCH /settings/agents/{id}', 'else', '200  404  404  404  403  403  403  403  401  404'],
  ['PATCH /settings/agents/{id}', 'no', '404  404  404  404  403  403  403  403  401  404'],
  ['PATCH /settings/agents/{id} role', 'own', '200  200  403  200  403  403  403  403  401  404'],
  ['PATCH /settings/agents/{id} role', 'no', '404  404  403  404  403  403  403  403  401  404'],
  ['PATCH /settings/agents/{id} mode', 'own', '200  200  403  200  403  403  403  403  401  404'],
  ['PATCH /settings/agents/{id} mode', 'wide', '200  403  403  403  403  403  403  403  401  404'],
  ['PATCH /settings/agents/{id} mode', 'no', '404  404  403  404  403  403  403  403  401  404'],
  ['PATCH /settings/agents/{id} expiresAt', 'own', '200  200  403  200  403  403  403  403  401  404'],
  ['PATCH /settings/agents/{id} environments', 'own', '200  400  403  400  403  403  403  403  401  404'],
  ['DELETE /settings/agents/{id}', 'own', '204  204  403  204  403  403  403  403  401  404'],
  ['DELETE /settings/agents/{id}', 'wide', '204  403  403  403  403  403  403  403  401  404'],
  ['DELETE /settings/agents/{id}', 'else', '204  404  403  404  403  403  403  403  401  404'],
  ['DELETE /settings/agents/{id}', 'no', '404  404  403  404  403  403  403  403  401  404'],
  ['POST /settings/agents/{id}/rotate', 'own', '201  201  403  201  403  403  403  403  401  404'],
  ['POST /settings/agents/{id}/rotate', 'wide', '201  403  403  403  403  403  403  403  401  404'],
  ['POST /settings/agents/{id}/rotate', 'else', '201  404  403  404  403  403  403  403  401  404'],
  ['POST /settings/agents/{id}/rotate', 'no', '404  404  403  404  403  403  403  403  401  404'],

  ['GET /settings/agents/{id}/activity', 'own', '200  200  200  403  403  403  403  403  401  404'],
  ['GET /settings/agents/{id}/activity', 'wide', '200  200  200  403  403  403  403  403  401  404'],
  ['GET /settings/agents/{id}/activity', 'else', '404  404  404  403  403  403  403  403  401  404'],
  ['GET /settings/agents/{id}/activity', 'no', '404  404  404  403  403  403  403  403  401  404'],

  // Opened as a WebSocket.
  ['GET /live?agent={id}', 'own', '101  101  101  403  403  403  403  403  401  404'],
  ['GET /live?agent={id}', 'wide', '101  101  101  403  403  403  403  403  401  404'],
  ['GET /live?agent={id}', 'else', '404  404  404  403  403  403  403  403  401  404'],
  ['GET /live?agent={id}', 'no', '404  404  404  403  403  403  403  403  401  404'],

  ['GET /settings/roles', '', '200  200  200  200  403  403  403  403  401  404'],
  ['POST /settings/roles', '', '201  403  403  403  403  403  403  403  401  404'],
  ['PATCH /settings/roles/{id}', 'own', '200  403  403  403  403  403  403  403  401  404'],
  ['PATCH /settings/roles/{id}', 'builtIn', '409  403  403  403  403  403  403  403  401  404'],
  ['PATCH /settings/roles/{id}', 'no', '404  403  403  403  403  403  403  403  401  404'],
  ['DELETE /settings/roles/{id}', 'own', '204  403  403  403  403  403  403  403  401  404'],
  ['DELETE /settings/roles/{id}', 'used', '409  403  403  403  403  403  403  403  401  404'],
  ['DELETE /settings/roles/{id}', 'builtIn', '409  403  403  403  403  403  403  403  401  404'],
  ['DELETE /settings/roles/{id}', 'no', '404  403  403  403  403  403  403  403  401  404'],

  ['GET /settings/people', '', '200  200  200  200  403  403  403  403  401  404'],
  ['POST /settings/people', '', '201  201  403  201  403  403  403  403  401  404'],
  ['PATCH /settings/people/{id}', 'own', '200  200  200  200  403  403  403  403  401  404'],
  ['PATCH /settings/people/{id}', 'wide', '200  403  403  403  403  403  403  403  401  404'],
  ['PATCH /settings/people/{id}', 'else', '200  404  404  404  403  403  403  403  401  404'],
  ['PATCH /settings/people/{id}', 'no', '404  404  404  404  403  403  403  403  401  404'],
  ['PATCH /settings/people/{id} role', 'own', '200  200  403  200  403  403  403  403  401  404'],
  ['PATCH /settings/people/{id} email', 'own', '200  200  403  200  403  403  403  403  401  404'],
  ['PATCH /settings/people/{id} environments', 'own', '200  400  403  400  403  403  403  403  401  404'],
  ['PATCH /settings/people/{id} password', 'own', '200  200  403  200  403  403  403  403  401  404'],
  ['DELETE /settings/people/{id}', 'own', '200  200  403  200  403  403  403  403  401  404'],
  ['DELETE /settings/people/{id}', 'wide', '200  403  403  403  403  403  403  403  401  404'],
  ['DELETE /settings/people/{id}', 'else', '200  404  403  404  403  403  403  403  401  404'],
  ['DELETE /settings/people/{id}', 'no', '404  404  403  404  403  403  403  403  401  404'],

  ['GET /settings/app-keys', '', '200  200  200  200  403  403  403  403  401  404'],
  ['POST /settings/app-keys', '', '201  201  403  201  403  403  403  403  401  404'],
  ['PATCH /settings/app-keys/{id}', 'own', '200  200  200  200  403  403  403  403  401  404'],
  ['PATCH /settings/app-keys/{id}', 'else', '404  404  404  404  403  403  403  403  401  404'],
  ['PATCH /settings/app-keys/{id}', 'no', '404  404  404  404  403  403  403  403  401  404'],
  ['DELETE /settings/app-keys/{id}', 'own', '204  204  403  204  403  403  403  403  401  404'],
  ['DELETE /settings/app-keys/{id}', 'else', '404  404  403  404  403  403  403  403  401  404'],
  ['DELETE /settings/app-keys/{id}', 'no', '404  404  403  404  403  403  403  403  401  404'],
  ['POST /settings/app-keys/{id}/rotate', 'own', '201  201  403  201  403  403  403  403  401  404'],
  ['POST /settings/app-keys/{id}/rotate', 'else', '404  404  403  404  403  403  403  403  401  404'],
  ['POST /settings/app-keys/{id}/rotate', 'no', '404  404  403  404  403  403  403  403  401  404'],

  ['GET /settings/environments', '', '200  200  200  200  403  403  403  403  401  404'],
  ['POST /settings/environments', '', '201  201  403  201  403  403  403  403  401  404'],

  ['PATCH /settings/environments/{name}', 'own', '200  200  403  200  403  403  403  403  401  404'],
  ['PATCH /settings/environments/{name}', 'else', '200  404  403  404  403  403  403  403  401  404'],
  ['PATCH /settings/environments/{name}', 'no', '404  404  403  404  403  403  403  403  401  404'],
  ['POST /settings/environments trustApp', '', '201  201  403  201  403  403  403  403  401  404'],
  ['PATCH /settings/environments/{name} trustApp', 'own', '200  200  403  200  403  403  403  403  401  404'],
  ['PATCH /settings/environments/{name} acceptNew', 'own', '200  200  403  200  403  403  403  403  401  404'],
  ['PATCH /settings/environments/{name} trustApp', 'else', '200  404  403  404  403  403  403  403  401  404'],
  ['PATCH /settings/environments/{name} trustApp', 'no', '404  404  403  404  403  403  403  403  401  404'],

  ['GET /settings/loosenings', '', '200  200  200  200  403  403  403  403  401  404'],
  ['POST /settings/loosenings/{id}/accept', 'own', '200  200  403  200  403  403  403  403  401  404'],
  ['POST /settings/loosenings/{id}/accept', 'used', '409  409  403  409  403  403  403  403  401  404'],
  ['POST /settings/loosenings/{id}/accept', 'else', '404  404  403  404  403  403  403  403  401  404'],
  ['POST /settings/loosenings/{id}/accept', 'no', '404  404  403  404  403  403  403  403  401  404'],
  ['POST /settings/loosenings/{id}/refuse', 'own', '200  200  403  200  403  403  403  403  401  404'],
  ['POST /settings/loosenings/{id}/refuse', 'used', '409  409  403  409  403  403  403  403  401  404'],
  ['POST /settings/loosenings/{id}/refuse', 'else', '404  404  403  404  403  403  403  403  401  404'],
  ['POST /settings/loosenings/{id}/refuse', 'no', '404  404  403  404  403  403  403  403  401  404'],

  ['GET /settings/erasures', '', '200  200  200  200  403  403  403  403  401  404'],
  ['POST /settings/erasures', '', '202  202  403  202  403  403  403  403  401  404'],
  ['POST /settings/erasures dryRun', '', '200  200  403  200  403  403  403  403  401  404'],

  // `used`: one that waits for the app.
  ['GET /settings/jobs', '', '200  200  200  200  403  403  403  403  401  404'],
  ['GET /settings/usage', '', '200  200  200  200  403  403  403  403  401  404'],
  ['POST /settings/jobs', '', '200  200  200  200  403  403  403  403  401  404'],
  ['POST /settings/jobs/{id}/retry', 'own', '200  200  200  200  403  403  403  403  401  404'],
  ['POST /settings/jobs/{id}/retry', 'used', '409  409  409  409  403  403  403  403  401  404'],
  ['POST /settings/jobs/{id}/retry', 'else', '404  404  404  404  403  403  403  403  401  404'],
  ['POST /settings/jobs/{id}/retry', 'no', '404  404  404  404  403  403  403  403  401  404'],

  ['PATCH /me', '', '200  200  200  200  200  403  403  403  401  404'],
  ['GET /me/sessions', '', '200  200  200  200  200  403  403  403  401  404'],
  ['DELETE /me/sessions/{id}', 'else', '404  404  404  404  404  403  403  403  401  404'],
  ['DELETE /me/sessions/{id}', 'no', '404  404  404  404  404  403  403  403  401  404'],

  // `own`: the caller's; `used`: a shared one of somebody else; `else`: somebody else's own, or one of another environment.
  ['GET /me/views', '', '200  200  200  200  200  403  403  403  401  404'],
  ['POST /me/views', '', '201  201  201  201  201  403  403  403  401  404'],
  ['PATCH /me/views/{id}', 'own', '200  200  200  200  200  403  403  403  401  404'],
  ['PATCH /me/views/{id}', 'used', '403  403  403  404  403  403  403  403  401  404'],
  ['PATCH /me/views/{id}', 'else', '404  404  404  404  404  403  403  403  401  404'],
  ['PATCH /me/views/{id}', 'no', '404  404  404  404  404  403  403  403  401  404'],
  ['DELETE /me/views/{id}', 'own', '204  204  204  204  204  403  403  403  401  404'],
  ['DELETE /me/views/{id}', 'used', '204  204  204  404  403  403  403  403  401  404'],
  ['DELETE /me/views/{id}', 'else', '404  404  404  404  404  403  403  403  401  404'],
  ['DELETE /me/views/{id}', 'no', '404  404  404  404  404  403  403  403  401  404'],

  // Takes no token, so it doesn't matter whose is sent along; these passwords are wrong.
  ['GET /sign-in/methods', '', '200  200  200  200  200  200  200  200  200  200'],
  // Of a service without a provider.
  ['GET /sign-in/oidc', '', '404  404  404  404  404  404  404  404  404  404'],
  ['POST /sign-in', '', '401  401  401  401  401  401  401  401  401  401'],
  // Its token is nobody's.
  ['POST /sign-in/invitation', '', '401  401  401  401  401  401  401  401  401  401'],
  ['POST /sign-in/reset', '', '202  202  202  202  202  202  202  202  202  202'],
  ['POST /sign-in/reset/confirm', '', '401  401  401  401  401  401  401  401  401  401'],
  ['POST /sign-in/fresh', '', '403  403  403  403  403  403  403  403  401  404'],
  ['POST /sign-out', '', '204  204  204  204  204  403  403  403  401  404'],
];

/** Changes under `/settings` that need no fresh sign-in, as they give and take no access; with the only member that they may have. */
export const harmless: Readonly<Record<string, string>> = {
  // What people read.
  'PATCH /settings/agents/{id}': 'name',
  'PATCH /settings/people/{id}': 'name',
  'PATCH /settings/app-keys/{id}': 'name',
  // Does what was asked for earlier, under the rights of the moment.
  'POST /settings/jobs/{id}/retry': '',
  'POST /settings/jobs': '',
};
export const isHarmless = (endpoint: string): boolean => harmless[endpoint] !== undefined;
/** A value of each member that a change of a thing may have. */
export const values: Readonly<Record<string, unknown>> = {
  name: 'another',
  role: 'viewer',
  mode: 'readonly',
  expiresAt: null,
  environments: ['demo'],
  email: 'another@example.com',
  invite: true,
  password: 'a new password',
  grants: [],
  independentApproval: true,
  trustApp: false,
  acceptNew: false,
};

export const variants: Readonly<Record<string, unknown>> = {
  role: 'operator',
  password: 'a new password',
  mode: 'supervised',
  expiresAt: null,
  environments: ['demo', 'staging'],
};
export const environmentNames: Readonly<Record<string, string>> = { own: 'demo', else: 'staging', no: 'nosuch' };
export const nothing = {
  agents: 'agt',
  roles: 'rol',
  people: 'per',
  'app-keys': 'key',
  loosenings: 'loo',
  jobs: 'job',
} as const;
