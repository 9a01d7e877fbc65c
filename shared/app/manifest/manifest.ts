/** The schema of manifests, which declare what a customer's app has. manifestProblems.ts checks what the schema can't express. */
import { limits } from '../../catalogue/limits.ts';
import { nameSchema, nullable, strictObject, Type, type Static } from '../../platform/json/schema.ts';
import {
  approvalRuleSchema,
  descriptionSchema,
  jsonSchemaSchema,
  labelSchema,
  manifestInboxSchema,
  manifestResourceSchema,
  manifestViewSchema,
  manifestWhenSchema,
  reasonRequiredSchema,
} from './manifestParts.ts';

const action = strictObject({
  name: nameSchema('The action.'),
  label: Type.Optional(labelSchema),
  description: Type.Optional(descriptionSchema),
  resource: Type.Optional(nullable(nameSchema('The resource that it acts on.'))),
  input: Type.Optional(jsonSchemaSchema),
  danger: Type.Optional(nullable(Type.Union([Type.Literal('low'), Type.Literal('high')]))),
  approval: Type.Optional(approvalRuleSchema),
  freshSignIn: Type.Optional(Type.Boolean()),
  reasonRequired: Type.Optional(reasonRequiredSchema),
  reversible: Type.Optional(
    nullable(Type.Boolean({ description: 'Whether what it does can be undone; null or absent: not known.' })),
  ),
  background: Type.Optional(Type.Boolean()),
  repeatable: Type.Optional(Type.Boolean()),
  attempts: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.runAttemptsMax,
      description: 'How often a repeatable action is handed over while no answer comes, before its run ends unknown.',
    }),
  ),
  offline: Type.Optional(Type.Union([Type.Literal('queue'), Type.Literal('refuse')])),
  offlineExpiry: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.offlineExpiryMaxMs,
      description: 'How long a run waits for the app, in milliseconds.',
    }),
  ),
  timeout: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.actionTimeoutMaxMs,
      description: 'How long a run may take, in milliseconds.',
    }),
  ),
  when: Type.Optional(manifestWhenSchema),
  stale: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      maxItems: 50,
      uniqueItems: true,
      description: 'Fields of the record: when one has changed, an approval ends stale at its decision.',
    }),
  ),
  defaults: Type.Optional(Type.Object({})),
});

const page = strictObject({
  name: nameSchema('The page.'),
  label: Type.Optional(labelSchema),
  description: Type.Optional(descriptionSchema),
  params: Type.Optional(
    Type.Array(
      strictObject({
        name: nameSchema('The parameter.'),
        description: Type.Optional(descriptionSchema),
        required: Type.Optional(Type.Boolean()),
      }),
      { maxItems: 50 },
    ),
  ),
  blocks: Type.Array(Type.Object({ type: Type.String() }), { maxItems: 100 }),
});

const flag = strictObject({
  key: nameSchema('The flag.'),
  kind: Type.Union([Type.Literal('boolean'), Type.Literal('string'), Type.Literal('number'), Type.Literal('json')]),
  default: Type.Unknown(),
  resource: Type.Optional(nullable(nameSchema('The resource whose records it is evaluated for.'))),
  approval: Type.Optional(approvalRuleSchema),
  danger: Type.Optional(nullable(Type.Union([Type.Literal('low'), Type.Literal('high')]))),
  reasonRequired: Type.Optional(reasonRequiredSchema),
  description: Type.Optional(descriptionSchema),
});

export const manifestSchema = strictObject(
  {
    resources: Type.Optional(Type.Array(manifestResourceSchema, { maxItems: 200 })),
    inboxes: Type.Optional(Type.Array(manifestInboxSchema, { maxItems: 200 })),
    views: Type.Optional(Type.Array(manifestViewSchema, { maxItems: 200 })),
    actions: Type.Optional(Type.Array(action, { maxItems: 1000 })),
    pages: Type.Optional(Type.Array(page, { maxItems: 200 })),
    flags: Type.Optional(Type.Array(flag, { maxItems: 2000 })),
  },
  { description: 'What a customer’s app declares to the service.' },
);

export type Manifest = Static<typeof manifestSchema>;
export type ManifestInbox = Static<typeof manifestInboxSchema>;
export type ManifestView = Static<typeof manifestViewSchema>;
export type ManifestResource = Static<typeof manifestResourceSchema>;
export type ManifestAction = Static<typeof action>;
export type ManifestPage = Static<typeof page>;
export type ManifestFlag = Static<typeof flag>;
