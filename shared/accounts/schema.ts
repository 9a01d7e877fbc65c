/** Schemas that accounts have in common, and those of sign-in and of one's own account. For the rows of settings, the endpoints and the admin command. */
import { permissions } from '../catalogue/permissions.ts';
import {
  displayNamePattern,
  nullable,
  responseObject,
  strictObject,
  Type,
  type Static,
} from '../platform/json/schema.ts';

/** Returns the schema of one line of text that is seen, as timelines, logs and terminals show names. */
const line = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: displayNamePattern, description });

export const displayNameSchema = line(200, 'For people.');
export const uniqueNameSchema = line(100, 'Unique.');
export const roleSchema = Type.String({ minLength: 1, maxLength: 100, description: 'Its role: id or name.' });
export const modeSchema = Type.Union([Type.Literal('normal'), Type.Literal('readonly'), Type.Literal('supervised')], {
  description: 'normal; readonly: changes nothing; supervised: a person approves each change.',
});
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
export const passwordSchema = Type.String({ minLength: 8, maxLength: 1024, description: 'At least 8 characters.' });

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

/** Any text: one that can't be a password is a wrong password, not an invalid request. */
const enteredPassword = Type.String({ minLength: 1, maxLength: 1024, description: 'The password.' });
export const signInInput = strictObject({ email: emailSchema, password: enteredPassword });
const linkToken = Type.String({ minLength: 1, maxLength: 100, description: 'Of the link, after its =.' });
export const linkInput = strictObject({ token: linkToken, password: passwordSchema });
export const resetInput = strictObject({ email: emailSchema });
export const freshSignInInput = strictObject({ password: enteredPassword });

export const ownAccountPatch = strictObject(
  {
    name: Type.Optional(displayNameSchema),
    password: Type.Optional(
      strictObject(
        { current: enteredPassword, next: passwordSchema },
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
/** A time in an answer. */
export const stampSchema = (description: string) =>
  Type.Integer({ description: `${description} (milliseconds since 1970 UTC)` });

/** What a role grants, in responses. */
export const grantsSchema = Type.Array(
  responseObject({
    on: Type.String({ description: 'Such as inbox:support or inbox:*.' }),
    can: Type.Array(Type.String(), { description: 'The verbs; "*" is all.' }),
  }),
  { description: 'What it grants.' },
);

/** The number of items that a change of rights takes from people. */
export const unassignedSchema = Type.Integer({ description: 'Items that become nobody’s.' });

export const ownSessionSchema = responseObject({
  id: Type.String({ pattern: '^ses_', description: 'Id.' }),
  createdAt: stampSchema('createdAt'),
  lastUsedAt: stampSchema('Last use, to the minute'),
  address: nullable(Type.String({ description: 'Where it was opened; null: not known.' })),
  current: Type.Boolean({ description: 'Whether it is the one that asks.' }),
});

export type OwnAccountPatch = Static<typeof ownAccountPatch>;
