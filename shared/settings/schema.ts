/** Schemas of roles, agents, people, app keys and environments in requests and responses. For the settings endpoints and the admin command. */
import { permissions } from '../catalogue/permissions.ts';
import {
  actorSchema,
  linePattern,
  nameSchema,
  nullable,
  responseObject,
  strictObject,
  timeSchema,
  Type,
  type Static,
} from '../platform/core/schema.ts';

/** Returns the schema of one line of text, as timelines, logs and terminals show names. */
const line = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: linePattern, description });

const label = line(200, 'What people read.');
const role = line(100, 'A role, by its id or its name.');
const mode = Type.Union([Type.Literal('normal'), Type.Literal('readonly'), Type.Literal('supervised')], {
  description: 'normal; readonly: changes nothing; supervised: each change needs a person’s approval.',
});
const expiresAt = nullable(timeSchema('When it stops working; null: never'));
const environments = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  minItems: 1,
  maxItems: 100,
  description: 'Names of environments, or "*" alone for all of them.',
});
const email = Type.String({
  minLength: 3,
  maxLength: 320,
  pattern: '^[^\\s\\u0000-\\u001f\\u007f@,;<>"]+@[^\\s\\u0000-\\u001f\\u007f@,;<>"]+$',
  description: 'An e-mail address; upper and lower case are the same.',
});
/** At least 8 characters: NIST SP 800-63B, section 3.1.1.2. */
const password = Type.String({ minLength: 8, maxLength: 1024, description: 'At least 8 characters.' });

const grants = Type.Array(
  strictObject({
    on: Type.String({
      maxLength: 120,
      pattern: '^[a-z]+(?::(?:\\*|[A-Za-z][A-Za-z0-9_.-]{0,99}))?$',
      description: `A kind of thing and its name, or * for all: ${Object.keys(permissions).join(', ')}.`,
    }),
    can: Type.Array(Type.String({ maxLength: 100 }), {
      minItems: 1,
      maxItems: 20,
      description: 'Verbs, or * for all.',
    }),
  }),
  { maxItems: 1000, description: 'What it allows; nothing else is allowed.' },
);

export const roleInput = strictObject({ name: line(100, 'Unique.'), grants });
export const rolePatch = strictObject(
  { name: Type.Optional(line(100, 'Unique.')), grants: Type.Optional(grants) },
  { minProperties: 1 },
);

export const agentInput = strictObject({
  name: label,
  role,
  mode: Type.Optional(mode),
  expiresAt: Type.Optional(expiresAt),
  environments: Type.Optional(environments),
});
export const agentPatch = strictObject(
  {
    name: Type.Optional(label),
    role: Type.Optional(role),
    mode: Type.Optional(mode),
    expiresAt: Type.Optional(expiresAt),
    environments: Type.Optional(environments),
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
      description: 'Milliseconds that the old token goes on working; 0 when absent.',
    }),
  ),
});

export const personInput = strictObject({
  email,
  name: label,
  role,
  password,
  environments: Type.Optional(environments),
});
export const personPatch = strictObject(
  {
    email: Type.Optional(email),
    name: Type.Optional(label),
    role: Type.Optional(role),
    password: Type.Optional(password),
    environments: Type.Optional(environments),
  },
  { minProperties: 1 },
);

export const appKeyInput = strictObject({ name: label });
export const appKeyPatch = strictObject({ name: Type.Optional(label) }, { minProperties: 1 });
const trustApp = Type.Boolean({
  description: 'Whether what its app declares takes effect without a person’s acceptance of what that loosens.',
});
const acceptNew = Type.Boolean({
  description: 'Whether agents may use a new action or flag only after a person has accepted it.',
});
export const environmentInput = strictObject({
  name: nameSchema('Unique; part of its address.'),
  trustApp: Type.Optional(trustApp),
  acceptNew: Type.Optional(acceptNew),
});
const independentApproval = Type.Boolean({
  description:
    'Whether people who made or changed an agent, its token or its role in the last 30 days, and people whom they let in, may not decide its requests.',
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
export const signInInput = strictObject({ email, password: enteredPassword });
export const freshSignInInput = strictObject({ password: enteredPassword });

export const ownAccountPatch = strictObject(
  {
    name: Type.Optional(label),
    password: Type.Optional(
      strictObject(
        { current: enteredPassword, next: password },
        { description: 'A new password; it ends your other sessions.' },
      ),
    ),
    preferences: Type.Optional(
      nullable(
        Type.Record(Type.String(), Type.Unknown(), {
          description: 'Those given are set, null takes one away, the others stay; null for the whole takes all away.',
        }),
      ),
    ),
  },
  { minProperties: 1 },
);
export const preferencesSchema = Type.Object(
  {},
  { description: 'What the person has set for the clients they use; of others {}.' },
);

const roleRef = responseObject({ id: Type.String(), name: Type.String() });
const reach = Type.Array(Type.String(), { description: 'Names of environments, or "*" alone for all of them.' });
const at = (description: string) => Type.Integer({ description: `${description} (milliseconds since 1970 UTC)` });

export const roleViewSchema = responseObject({
  id: Type.String(),
  name: Type.String(),
  grants: Type.Array(responseObject({ on: Type.String(), can: Type.Array(Type.String()) })),
  builtIn: Type.Boolean({ description: 'Built-in roles can’t be changed.' }),
  createdAt: at('When it was made'),
  updatedAt: at('When it was changed last'),
});

export const agentViewSchema = responseObject({
  id: Type.String(),
  name: Type.String(),
  role: roleRef,
  mode,
  environments: reach,
  expiresAt: nullable(at('When it stops working; null: never')),
  createdBy: nullable(Type.String({ description: 'The person who made it; null: the admin command.' })),
  lastUsedAt: nullable(at('When it was used last, to the minute')),
  createdAt: at('When it was made'),
});

export const personViewSchema = responseObject({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: roleRef,
  environments: reach,
  createdAt: at('When they were let in'),
});

export const ownSessionSchema = responseObject({
  id: Type.String({ pattern: '^ses_' }),
  createdAt: at('When it was opened'),
  lastUsedAt: at('When it was used last, to the minute'),
  address: nullable(Type.String({ description: 'The address that it was opened from; null: not known.' })),
  current: Type.Boolean({ description: 'Whether it is the one that asks.' }),
});

export const appKeyViewSchema = responseObject({
  id: Type.String(),
  name: Type.String(),
  environment: Type.String(),
  lastUsedAt: nullable(at('When it was used last, to the minute')),
  createdAt: at('When it was made'),
});

export const environmentViewSchema = responseObject({
  name: Type.String(),
  baseUrl: Type.String({ description: 'Where it is called.' }),
  createdAt: at('When it was made'),
  definedAt: nullable(at('When what its app declared last changed; null: nothing declared yet')),
  independentApproval,
  trustApp,
  acceptNew,
});

export const looseningSchema = responseObject({
  id: Type.String({ pattern: '^loo_' }),
  on: responseObject({
    type: Type.Union([Type.Literal('action'), Type.Literal('flag')]),
    name: Type.String({ description: 'The action or flag.' }),
    member: Type.String({
      description:
        'What is declared less strict, e.g. approval or input.properties.amount.maximum; new: the name itself.',
    }),
  }),
  from: Type.Unknown({ description: 'What is in force; of a new name, the removed one that it resembles, or null.' }),
  to: Type.Unknown({ description: 'What is declared.' }),
  since: at('When it was declared'),
  status: Type.Union(
    (['waiting', 'accepted', 'refused', 'noted'] as const).map((status) => Type.Literal(status)),
    { description: 'waiting: the stricter rule stays in force until a person accepts; noted: a new name.' },
  ),
  decidedBy: nullable(actorSchema),
});

/** Returns the members of a response that creates or rotates a credential. */
export const tokenResponse = (prefix: 'cagt' | 'capp') => ({
  token: nullable(
    Type.String({
      pattern: `^${prefix}_`,
      description: 'Shown once; null when the response is a repeat by the idempotency key.',
    }),
  ),
  baseUrl: Type.String({ description: 'Where it is used.' }),
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
