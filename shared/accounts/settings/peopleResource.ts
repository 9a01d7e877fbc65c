/** The row of people, who sign in with a password, by an invitation or by the provider. Served by api/routes/settings.ts. */
import { invalidAt } from '../../catalogue/errors.ts';
import type { Tx } from '../../platform/db/knex.ts';
import { nullable, Type } from '../../platform/json/schema.ts';
import { issueLink, stageLinkMail } from '../passwordLinks.ts';
import { hashPassword, knownTurn } from '../passwords.ts';
import { unassignedSchema } from '../schema.ts';
import type { Administrator } from './adminChange.ts';
import {
  createPerson,
  listSeenPeople,
  personInput,
  personPatch,
  personView,
  removePerson,
  updatePerson,
  type NewPerson,
  type PersonChange,
} from './people.ts';
import { resource, type ResourceCall, type ResourcePlace } from './resource.ts';

const linkSchema = Type.Optional(
  nullable(Type.String({ description: 'Of an invitation, shown once; null: it is mailed.' })),
);

interface Given {
  readonly password?: string;
  readonly invite?: true;
}

/** Returns a body with the hash of its password in place of it. Throws `invalid` for an invitation with a password, or where people sign in by a provider alone. */
const withHash = async <B extends Given>({ body, config, caller }: ResourceCall<B>) => {
  const { password, ...rest } = body;
  if (body.invite && password !== undefined) throw invalidAt('invite', 'goes without a password');
  if (body.invite && !config.passwordSignIn)
    throw invalidAt('invite', 'is not needed: people sign in by the provider here');
  return password === undefined ? rest : { ...rest, passwordHash: await hashPassword(password, knownTurn(caller)) };
};

/** Mails the link of an invitation, or returns it where no mail is sent; a former link is void. */
const inviteTo = async (
  tx: Tx,
  { requestId, at }: Administrator,
  { config }: Pick<ResourcePlace, 'config'>,
  person: string,
): Promise<{ readonly link: string | null }> => {
  const link = { person, kind: 'invitation', requestId, at } as const;
  if (config.smtpUrl === null) return { link: await issueLink(tx, config.publicUrl, link) };
  await stageLinkMail(tx, link);
  return { link: null };
};

export const people = resource({
  type: 'person',
  plural: 'people',
  path: '/settings/people',
  exampleId: 'per_01jd0000000000000000000000',
  view: personView,
  components: {
    Account: [personView, 'A person who may sign in.'],
    AccountPatch: [personPatch, 'What an account is made with, or what changes.'],
  },
  list: {
    id: 'list_accounts',
    summary: 'The people who may sign in',
    description: 'The people of your environments.',
    find: listSeenPeople,
  },
  create: {
    body: personInput,
    id: 'create_account',
    summary: 'Let a person sign in, with a password or by an invitation',
    description: 'Lets a person in, with a role and environments.',
    fresh: 'always',
    example: {
      email: 'bo@example.com',
      name: 'Bo Lund',
      role: 'operator',
      password: 'a long enough one',
      environments: ['demo'],
    },
    answers: { link: linkSchema },
    once: ['link'],
    prepare: async (call) => {
      const { password, invite } = call.body;
      if (password === undefined && invite === undefined && call.config.openId === null)
        throw invalidAt('password', 'is required where people sign in by password alone; or invite them');
      return withHash(call);
    },
    run: async (tx, admin, call: ResourceCall<Partial<NewPerson> & Omit<NewPerson, 'passwordHash'> & Given>) => {
      const { invite, passwordHash = null, ...input } = call.body;
      const person = await createPerson(tx, admin, { ...input, passwordHash }, [call.here]);
      return { person, ...(invite ? await inviteTo(tx, admin, call, person.id) : {}) };
    },
  },
  update: {
    body: personPatch,
    id: 'update_account',
    summary: 'Change a person, or invite them again; a new password ends their sessions',
    description: 'Changes what is given.',
    fresh: { unlessOnly: ['name'] },
    example: { name: 'Bo Lund-Berg' },
    answers: { unassigned: unassignedSchema, link: linkSchema },
    once: ['link'],
    prepare: withHash,
    run: async (tx, admin, call: ResourceCall<PersonChange>) => {
      const changed = await updatePerson(tx, admin, call.id, call.body);
      return { ...changed, ...(call.body.invite ? await inviteTo(tx, admin, call, changed.person.id) : {}) };
    },
  },
  end: {
    verb: 'revoke',
    id: 'remove_account',
    summary: 'Remove a person and end their sessions; not the last admin',
    description: 'Takes a person’s access away.',
    fresh: 'always',
    answers: {
      unassigned: unassignedSchema,
      agents: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
        description: 'Those they made, which stay.',
      }),
    },
    run: async (tx, admin, { id }) => {
      const { unassigned, agents } = await removePerson(tx, admin, id);
      return { unassigned, agents };
    },
  },
});
