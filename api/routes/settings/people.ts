/** Settings: people who sign in. */
import { isInReach } from '../../../shared/settings/administer.ts';
import { hashPassword } from '../../../shared/settings/passwords.ts';
import { createPerson, listPeople, removePerson, updatePerson } from '../../../shared/settings/people.ts';
import { personInput, personPatch, personView } from '../../../shared/settings/schema.ts';
import { answer, closed } from '../../../shared/platform/core/schema.ts';
import { compile } from '../../../shared/platform/core/validate.ts';
import { write, type Call, type Endpoint } from '../../endpoint.ts';
import { change, mustManage, settingsList, tag } from './manage.ts';

const checkPersonInput = compile(personInput);
const checkPersonPatch = compile(personPatch);

const id = 'per_01jd0000000000000000000000';
const target = ({ params }: Pick<Call, 'params'>) => ({ type: 'person', id: params['id'] ?? null });
const told = answer({ person: personView });

const list = settingsList({
  path: '/settings/people',
  plural: 'people',
  summary: 'The people who may sign in',
  schema: personView,
  find: async ({ deps, caller: { principal } }) => (await listPeople(deps.db)).filter((person) => isInReach({ reach: principal.environments }, person)),
});

const create = write({
  path: '/settings/people',
  name: 'person.create',
  summary: 'Let a person sign in with an e-mail address and a password',
  tag,
  body: personInput,
  responses: { 201: told },
  example: { body: { email: 'bo@example.com', name: 'Bo Lund', role: 'operator', password: 'a long enough one', environments: ['demo'] } },
  audit: { verb: 'person.create', target },
  check: checkPersonInput,
  handle: async (call) => {
    mustManage(call, { fresh: true });
    const { password, ...input } = call.body;
    const passwordHash = await hashPassword(password);
    return change(call, async (tx, admin) => ({ status: 201, body: { person: await createPerson(tx, admin, { ...input, passwordHash }, [call.caller.env.name]) } }));
  },
});

const update = write({
  method: 'patch',
  path: '/settings/people/:id',
  name: 'person.update',
  summary: 'Change a person; another role or password needs a fresh sign-in, and a new password ends their sessions',
  tag,
  body: personPatch,
  responses: { 200: told },
  example: { params: { id }, body: { name: 'Bo Lund-Berg' } },
  audit: { verb: 'person.update', target },
  check: checkPersonPatch,
  handle: async (call) => {
    const { password, ...patch } = call.body;
    mustManage(call, { fresh: patch.role !== undefined || password !== undefined });
    const hashed = password === undefined ? {} : { passwordHash: await hashPassword(password) };
    return change(call, async (tx, admin) => ({ status: 200, body: { person: await updatePerson(tx, admin, call.params['id'] ?? '', { ...patch, ...hashed }) } }));
  },
});

const noBody = closed({});

const remove = write({
  method: 'delete',
  path: '/settings/people/:id',
  name: 'person.revoke',
  summary: 'Remove a person and end their sessions; not the last admin',
  tag,
  body: noBody,
  bodyOptional: true,
  responses: { 204: null },
  example: { params: { id }, body: {} },
  audit: { verb: 'person.revoke', target },
  check: compile(noBody),
  handle: async (call) => {
    mustManage(call, { fresh: false });
    return change(call, async (tx, admin) => {
      await removePerson(tx, admin, call.params['id'] ?? '');
      return { status: 204 };
    });
  },
});

export const peopleSettings: readonly Endpoint[] = [list, create, update, remove];
