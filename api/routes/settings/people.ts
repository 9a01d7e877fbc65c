/** Settings: people who sign in. */
import { responseObject } from '../../../shared/platform/core/schema.ts';
import { compileCheck, invalidFault } from '../../../shared/platform/core/validate.ts';
import { sharesReach } from '../../../shared/settings/adminChange.ts';
import { hashPassword, knownTurn } from '../../../shared/settings/passwords.ts';
import { createPerson, listPeople, removePerson, updatePerson } from '../../../shared/settings/people.ts';
import { personInput, personPatch, personViewSchema } from '../../../shared/settings/schema.ts';
import { writeEndpoint, type Endpoint, type EndpointCall } from '../../endpoint.ts';
import {
  requireManager,
  runSettingsChange,
  settingsListEndpoint,
  settingsRemovalEndpoint,
  settingsTag,
  settingsTarget,
} from './manage.ts';

const checkPersonInput = compileCheck(personInput);
const checkPersonPatch = compileCheck(personPatch);

const id = 'per_01jd0000000000000000000000';
const target = settingsTarget('person');
const ownTurn = ({ caller: { principal } }: Pick<EndpointCall, 'caller'>) => knownTurn(principal.id ?? '');
const personResponse = responseObject({ person: personViewSchema });

const list = settingsListEndpoint({
  path: '/settings/people',
  plural: 'people',
  summary: 'The people who may sign in',
  schema: personViewSchema,
  find: async ({ deps, caller: { principal } }) =>
    (await listPeople(deps.db)).filter((person) => sharesReach({ reach: principal.environments }, person)),
});

const create = writeEndpoint({
  path: '/settings/people',
  name: 'person.create',
  summary: 'Let a person sign in with an e-mail address and a password',
  tag: settingsTag,
  body: personInput,
  responses: { 201: personResponse },
  example: {
    body: {
      email: 'bo@example.com',
      name: 'Bo Lund',
      role: 'operator',
      password: 'a long enough one',
      environments: ['demo'],
    },
  },
  audit: { verb: 'person.create', target },
  check: checkPersonInput,
  handle: async (call) => {
    const { password, ...input } = call.body;
    if (password === undefined && call.deps.config.openId === null)
      throw invalidFault([{ path: 'password', message: 'is required where people sign in by password alone' }]);
    requireManager(call, { fresh: true });
    const passwordHash = password === undefined ? null : await hashPassword(password, ownTurn(call));
    return runSettingsChange(call, async (tx, admin) => ({
      status: 201,
      body: { person: await createPerson(tx, admin, { ...input, passwordHash }, [call.caller.env.name]) },
    }));
  },
});

const update = writeEndpoint({
  method: 'patch',
  path: '/settings/people/:id',
  name: 'person.update',
  summary: 'Change a person; another role or password needs a fresh sign-in, and a new password ends their sessions',
  tag: settingsTag,
  body: personPatch,
  responses: { 200: personResponse },
  example: { params: { id }, body: { name: 'Bo Lund-Berg' } },
  audit: { verb: 'person.update', target },
  check: checkPersonPatch,
  handle: async (call) => {
    const { password, ...patch } = call.body;
    requireManager(call, { fresh: patch.role !== undefined || password !== undefined });
    const hashed = password === undefined ? {} : { passwordHash: await hashPassword(password, ownTurn(call)) };
    return runSettingsChange(call, async (tx, admin) => ({
      status: 200,
      body: { person: await updatePerson(tx, admin, call.params['id'] ?? '', { ...patch, ...hashed }) },
    }));
  },
});

const remove = settingsRemovalEndpoint({
  path: '/settings/people',
  type: 'person',
  exampleId: id,
  summary: 'Remove a person and end their sessions; not the last admin',
  verb: 'revoke',
  fresh: false,
  remove: removePerson,
});

export const peopleSettings: readonly Endpoint[] = [list, create, update, remove];
