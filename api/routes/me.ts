/** The endpoints by which principals see who they are, and people manage their own account and sessions. */
import { requirePerson, includesEnvironment } from '../../shared/accounts/access/principal.ts';
import {
  prepareNewPassword,
  readPreferences,
  updateOwnAccount,
  type OwnAccount,
} from '../../shared/accounts/ownAccount.ts';
import { endOwnSession, listOwnSessions } from '../../shared/accounts/ownSessions.ts';
import {
  grantsSchema,
  ownAccountPatch,
  ownSessionSchema,
  preferencesSchema,
  type OwnAccountPatch,
} from '../../shared/accounts/schema.ts';
import { environmentAddress } from '../../shared/accounts/settings/resource.ts';
import { nullable, responseObject, strictObject, Type } from '../../shared/platform/json/schema.ts';
import { compileCheck } from '../../shared/platform/json/validate.ts';
import { readEndpoint, writeEndpoint, type Endpoint, type EndpointCall } from '../endpoint.ts';
import { runSettingsChange } from './settings/manage.ts';

const tag = 'Discovery';

export const meSchema = responseObject({
  principal: responseObject(
    {
      type: Type.String({ description: 'agent, person or app.' }),
      id: nullable(Type.String({ description: 'Id.' })),
      name: Type.String({ description: 'Name.' }),
      mode: Type.String({ description: 'normal, readonly or supervised.' }),
    },
    { description: 'Who you are.' },
  ),
  role: nullable(
    responseObject(
      {
        id: Type.String({ description: 'Id.' }),
        name: Type.String({ description: 'Its name.' }),
        grants: grantsSchema,
      },
      { description: 'What you may do; null for app keys.' },
    ),
  ),
  environment: Type.String({ description: 'Environment.' }),
  environments: Type.Array(
    responseObject({
      name: Type.String({ description: 'Name.' }),
      baseUrl: Type.String({ description: 'baseUrl' }),
    }),
    { description: 'Your environments, and where each is called.' },
  ),
  fresh: Type.Boolean({ description: 'Fresh.' }),
  now: Type.Integer({ description: 'The time of the service (milliseconds since 1970 UTC).' }),
  preferences: preferencesSchema,
});

type MeCall = Pick<EndpointCall, 'caller' | 'session' | 'deps'>;

const meBody = ({ caller: { env, principal }, session, deps }: MeCall, { name, preferences }: OwnAccount): object => {
  const { type, id, mode, role, environments } = principal;
  const now = deps.clock.now();
  return {
    principal: { type, id, name, mode },
    role: role === null ? null : { id: role.id, name: role.name, grants: role.grants },
    environment: env.name,
    environments: deps.directory
      .environments()
      .filter((environment) => includesEnvironment(environments, environment.name))
      .map((environment) => ({ name: environment.name, baseUrl: environmentAddress(deps, environment.name) })),
    fresh: session.freshUntil !== null && session.freshUntil > now,
    now,
    preferences,
  };
};

const me = readEndpoint({
  path: '/me',
  name: 'me',
  summary: 'Who you are here, what your role grants, and where else you have access',
  tag,
  query: strictObject({}),
  responses: { 200: meSchema },
  example: {},
  handle: async (call) => {
    const { name } = call.caller.principal;
    const preferences = await readPreferences(call.deps.db, call.caller.principal);
    return { status: 200, body: meBody(call, { name, preferences }) };
  },
});

const update = writeEndpoint<OwnAccountPatch>({
  method: 'patch',
  path: '/me',
  name: 'person.updateSelf',
  summary: 'Change your name, your password or your preferences; a new password ends your other sessions',
  tag,
  body: ownAccountPatch,
  responses: { 200: meSchema },
  example: { body: { preferences: { theme: 'dark' } } },
  audit: { verb: 'person.update', target: () => ({ type: 'person', id: null }) },
  check: compileCheck(ownAccountPatch),
  // Agents have no account of their own.
  authorize: requirePerson,
  handle: async (call) => {
    const { deps, caller, session, body: patch } = call;
    const own = { caller, credential: session.credential, patch };
    const password = await prepareNewPassword(deps, own);
    let browser: string | null = null;
    const response = await runSettingsChange(call, async (tx, { at }) => {
      const changed = await updateOwnAccount(tx, own, password, at);
      browser = changed.browser;
      return { status: 200, body: meBody(call, changed.account) };
    });
    return { ...response, ...(browser === null ? {} : { browserCookie: browser }) };
  },
});

const sessions = readEndpoint({
  path: '/me/sessions',
  name: 'person.sessions',
  summary: 'Your sessions that have not ended, the newest first',
  tag,
  query: strictObject({}),
  responses: { 200: responseObject({ sessions: Type.Array(ownSessionSchema) }) },
  example: {},
  // Agents have no account of their own.
  authorize: requirePerson,
  handle: async (call) => {
    const { deps, caller, session } = call;
    const own = await listOwnSessions(deps.db, caller.principal.id, session.credential, {
      config: deps.config,
      at: deps.clock.now(),
    });
    return { status: 200, body: { sessions: own } };
  },
});

const noBody = strictObject({});

const endSession = writeEndpoint({
  method: 'delete',
  path: '/me/sessions/:id',
  name: 'person.endSession',
  summary: 'End one of your sessions, everywhere at once',
  tag,
  body: noBody,
  bodyOptional: true,
  responses: { 204: null },
  example: { params: { id: 'ses_01jd0000000000000000000000' }, body: {} },
  audit: { verb: 'person.endSession', target: ({ params }) => ({ type: 'session', id: params['id'] ?? null }) },
  check: compileCheck(noBody),
  // Agents have no account of their own.
  authorize: requirePerson,
  handle: async (call) => {
    const { deps, caller, session } = call;
    let ended = '';
    const response = await runSettingsChange(call, async (tx, { at }) => {
      ended = await endOwnSession(tx, caller, call.params['id'] ?? '', { config: deps.config, at });
      return { status: 204 };
    });
    return ended === session.credential ? { ...response, cookie: null } : response;
  },
});

export const ownAccountEndpoints: readonly Endpoint[] = [me, update, sessions, endSession];
