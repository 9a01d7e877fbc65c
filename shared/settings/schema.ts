/** Schemas of roles, agents, people, app keys and environments in requests and responses. For the settings endpoints and the admin command. */
import { permissions } from '../catalogue/permissions.ts';
import {
  actorSchema,
  displayNamePattern,
  nameSchema,
  nullable,
  responseObject,
  strictObject,
  timeSchema,
  Type,
  type Static,
} from '../platform/core/schema.ts';

/** Returns the schema of one line of text that is seen, as timelines, logs and terminals show names. */
const line = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: displayNamePattern, description });

export const displayNameSchema = line(200, 'For people.');
const uniqueNameSchema = line(100, 'Unique.');
export const roleSchema = Type.String({ minLength: 1, maxLength: 100, description: 'Its role: id or name.' });
export const modeSchema = Type.Union([Type.Literal('normal'), Type.Literal('readonly'), Type.Literal('supervised')], {
  description: 'normal; readonly: changes nothing; supervised: a person approves each change.',
});
const expiresAt = nullable(timeSchema('When it stops working; null: never'));
export const environmentsSchema = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  minItems: 1,
  maxItems: 100,
  description: 'Environments, or "*" alone for all.',
});
export const emailSchema = Type.String({
  minLength: 3,
  maxLength: 320,
  pattern: '^[^\\s\\u0000-\\u001f\\u007f@,;<>"]+@[^\\s\\u0000-\\u001f\\u007f@,;<>"]+$',
  description: 'An e-mail address; upper and lower case are the same.',
});
/** At least 8 characters: NIST SP 800-63B, section 3.1.1.2. */
const password = Type.String({ minLength: 8, maxLength: 1024, description: 'At least 8 characters.' });

export const grantsInput = Type.Array(
  strictObject({
    on: Type.String({
      maxLength: 120,
      pattern: '^[a-z]+(?::(?:\\*|[A-Za-z][A-Za-z0-9_.-]{0,99}))?$',
      description: `Kind and name, or * for all: ${Object.keys(permissions).join(', ')}.`,
    }),
    can: Type.Array(Type.String({ maxLength: 100 }), {
      minItems: 1,
      maxItems: 20,
      description: 'Verbs, or * for all.',
    }),
  }),
  { maxItems: 1000, description: 'What it allows; nothing else is allowed.' },
);

export const roleInput = strictObject({ name: uniqueNameSchema, grants: grantsInput });
export const rolePatch = strictObject(
  { name: Type.Optional(uniqueNameSchema), grants: Type.Optional(grantsInput) },
  { minProperties: 1 },
);

export const agentInput = strictObject({
  name: displayNameSchema,
  role: roleSchema,
  mode: Type.Optional(modeSchema),
  expiresAt: Type.Optional(expiresAt),
  environments: Type.Optional(environmentsSchema),
});
export const agentPatch = strictObject(
  {
    name: Type.Optional(displayNameSchema),
    role: Type.Optional(roleSchema),
    mode: Type.Optional(modeSchema),
    expiresAt: Type.Optional(expiresAt),
    environments: Type.Optional(environmentsSchema),
  },
  { minProperties: 1 },
);

/** How long the old token goes on working: a week is enough to bring the new one everywhere. */
const rotationGraceMaxMs = 7 * 86_400_000;
export const rotationInput = strictObject({
  grace: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: rotationGraceMaxMs,
      description: 'How long the old token works on, in ms; 0 when absent.',
    }),
  ),
});

export const personInput = strictObject({
  email: emailSchema,
  name: displayNameSchema,
  role: roleSchema,
  password: Type.Optional(password),
  environments: Type.Optional(environmentsSchema),
});
export const personPatch = strictObject(
  {
    email: Type.Optional(emailSchema),
    name: Type.Optional(displayNameSchema),
    role: Type.Optional(roleSchema),
    password: Type.Optional(password),
    environments: Type.Optional(environmentsSchema),
  },
  { minProperties: 1 },
);

export const appKeyInput = strictObject({ name: displayNameSchema });
export const appKeyPatch = strictObject({ name: Type.Optional(displayNameSchema) }, { minProperties: 1 });
const trustApp = Type.Boolean({
  description: 'Whether its app may loosen what it declares without a person.',
});
const acceptNew = Type.Boolean({
  description: 'Whether new actions and flags wait for a person.',
});
export const environmentInput = strictObject({
  name: nameSchema('Unique; part of its address.'),
  trustApp: Type.Optional(trustApp),
  acceptNew: Type.Optional(acceptNew),
});
const independentApproval = Type.Boolean({
  description: 'Who had an agent in hand within 30 days may not decide.',
});
export const environmentPatch = strictObject(
  {
    independentApproval: Type.Optional(independentApproval),
    trustApp: Type.Optional(trustApp),
    acceptNew: Type.Optional(acceptNew),
  },
  { minProperties: 1 },
);

/** Any text: one that can't be a password is a wrong password, not an invalid request. */
const enteredPassword = Type.String({ minLength: 1, maxLength: 1024, description: 'The password.' });
export const signInInput = strictObject({ email: emailSchema, password: enteredPassword });
export const freshSignInInput = strictObject({ password: enteredPassword });

export const ownAccountPatch = strictObject(
  {
    name: Type.Optional(displayNameSchema),
    password: Type.Optional(
      strictObject(
        { current: enteredPassword, next: password },
        { description: 'A new password; it ends your other sessions.' },
      ),
    ),
    preferences: Type.Optional(
      nullable(
        Type.Record(Type.String(), Type.Unknown(), {
          description: 'What is given is set; null takes one, or all, away.',
        }),
      ),
    ),
  },
  { minProperties: 1 },
);
export const preferencesSchema = Type.Object({}, { description: 'What a person has set for their clients.' });

export const roleRef = responseObject(
  { id: Type.String({ description: 'Id.' }), name: Type.String({ description: 'Its name.' }) },
  { description: 'What they may do.' },
);
export const reach = Type.Array(Type.String(), { description: 'Environments, or "*" alone for all.' });
const at = (description: string) => Type.Integer({ description: `${description} (milliseconds since 1970 UTC)` });

/** What a role grants, in responses. */
export const grantsSchema = Type.Array(
  responseObject({
    on: Type.String({ description: 'Such as inbox:support or inbox:*.' }),
    can: Type.Array(Type.String(), { description: 'The verbs; "*" is all.' }),
  }),
  { description: 'What it grants.' },
);

export const roleViewSchema = responseObject({
  id: Type.String({ description: 'Id.' }),
  name: Type.String({ description: 'Its name.' }),
  grants: grantsSchema,
  builtIn: Type.Boolean({ description: 'Built-in roles can’t be changed.' }),
  createdAt: at('createdAt'),
  updatedAt: at('updatedAt'),
});

export const agentViewSchema = responseObject({
  id: Type.String({ description: 'Id.' }),
  name: Type.String({ description: 'Its name.' }),
  role: roleRef,
  mode: modeSchema,
  environments: reach,
  expiresAt: nullable(at('When it stops working; null: never')),
  createdBy: nullable(Type.String({ description: 'Who made it; null: the admin command.' })),
  lastUsedAt: nullable(at('Last use, to the minute')),
  createdAt: at('createdAt'),
});

export const personViewSchema = responseObject({
  id: Type.String({ description: 'Id.' }),
  email: Type.String({ description: 'The address that they sign in with.' }),
  name: Type.String({ description: 'Their name.' }),
  role: roleRef,
  environments: reach,
  createdAt: at('createdAt'),
});

export const ownSessionSchema = responseObject({
  id: Type.String({ pattern: '^ses_', description: 'Id.' }),
  createdAt: at('createdAt'),
  lastUsedAt: at('Last use, to the minute'),
  address: nullable(Type.String({ description: 'Where it was opened; null: not known.' })),
  current: Type.Boolean({ description: 'Whether it is the one that asks.' }),
});

export const appKeyViewSchema = responseObject({
  id: Type.String({ description: 'Id.' }),
  name: Type.String({ description: 'Its name.' }),
  environment: Type.String({ description: 'Environment.' }),
  lastUsedAt: nullable(at('Last use, to the minute')),
  createdAt: at('createdAt'),
});

export const environmentViewSchema = responseObject({
  name: Type.String({ description: 'Name.' }),
  baseUrl: Type.String({ description: 'baseUrl' }),
  createdAt: at('createdAt'),
  definedAt: nullable(at('When its declaration last changed; null: none yet')),
  independentApproval,
  trustApp,
  acceptNew,
});

export const looseningSchema = responseObject({
  id: Type.String({ pattern: '^loo_', description: 'Id.' }),
  on: responseObject(
    {
      type: Type.Union([Type.Literal('action'), Type.Literal('flag'), Type.Literal('inbox')], {
        description: 'What kind of declaration.',
      }),
      name: Type.String({ description: 'The action, flag or inbox.' }),
      member: Type.String({
        description: 'What is less strict; new: the name itself.',
      }),
    },
    { description: 'Which declaration.' },
  ),
  from: Type.Unknown({ description: 'What is in force; of a new name a removed one like it.' }),
  to: Type.Unknown({ description: 'What is declared.' }),
  since: at('When it was declared'),
  status: Type.Union(
    (['waiting', 'accepted', 'refused', 'noted'] as const).map((status) => Type.Literal(status)),
    { description: 'waiting: the stricter rule holds; noted: a new name.' },
  ),
  decidedBy: nullable(actorSchema),
});

/** Returns the members of a response that creates or rotates a credential. */
export const tokenResponse = (prefix: 'cagt' | 'capp') => ({
  token: nullable(
    Type.String({
      pattern: `^${prefix}_`,
      description: 'Shown once; null in a repeat.',
      examples: [`${prefix}_Rk9PQkFSQkFaUVVYUkVET0JTQ1VSRUQ`],
    }),
  ),
  baseUrl: Type.String({ description: 'Where it is used.', examples: ['http://127.0.0.1:3000/api/env/demo'] }),
});

export type RoleInput = Static<typeof roleInput>;
export type RolePatch = Static<typeof rolePatch>;
export type AgentInput = Static<typeof agentInput>;
export type AgentPatch = Static<typeof agentPatch>;
export type PersonInput = Static<typeof personInput>;
export type PersonPatch = Static<typeof personPatch>;
export type OwnAccountPatch = Static<typeof ownAccountPatch>;
export type AppKeyInput = Static<typeof appKeyInput>;
export type AppKeyPatch = Static<typeof appKeyPatch>;
export type EnvironmentInput = Static<typeof environmentInput>;
export type EnvironmentPatch = Static<typeof environmentPatch>;
