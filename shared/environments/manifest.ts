/** The schema of manifests, which declare what a customer's app has; what no schema can say is checked by readManifest.ts. */
import { limits } from '../catalogue/limits.ts';
import { closed, name, nullable, Type, type Static } from '../platform/core/schema.ts';
import { condition, inbox, jsonSchema, label, resource, view } from './manifestParts.ts';

const action = closed({
  name: name('The action.'),
  label: Type.Optional(label),
  resource: Type.Optional(nullable(name('The resource that it acts on.'))),
  input: Type.Optional(jsonSchema),
  danger: Type.Optional(nullable(Type.Union([Type.Literal('low'), Type.Literal('high')]))),
  approval: Type.Optional(Type.Boolean()),
  freshSignIn: Type.Optional(Type.Boolean()),
  background: Type.Optional(Type.Boolean()),
  repeatable: Type.Optional(Type.Boolean()),
  offline: Type.Optional(Type.Union([Type.Literal('queue'), Type.Literal('refuse')])),
  offlineExpiry: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.offlineExpiryMaxMs, description: 'How long a run waits for the app, in milliseconds.' })),
  timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.actionTimeoutMaxMs, description: 'How long a run may take, in milliseconds.' })),
  when: Type.Optional(condition),
  defaults: Type.Optional(Type.Object({})),
});

const page = closed({
  name: name('The page.'),
  label: Type.Optional(label),
  params: Type.Optional(Type.Array(closed({ name: name('The parameter.'), required: Type.Optional(Type.Boolean()) }), { maxItems: 50 })),
  blocks: Type.Array(Type.Object({ type: Type.String() }), { maxItems: 100 }),
});

const flag = closed({
  key: name('The flag.'),
  kind: Type.Union([Type.Literal('boolean'), Type.Literal('string'), Type.Literal('number'), Type.Literal('json')]),
  default: Type.Unknown(),
  resource: Type.Optional(nullable(name('The resource whose records it is evaluated for.'))),
  approval: Type.Optional(Type.Boolean()),
  danger: Type.Optional(nullable(Type.Union([Type.Literal('low'), Type.Literal('high')]))),
  description: Type.Optional(Type.String({ maxLength: 2000 })),
});

export const manifestSchema = closed(
  {
    resources: Type.Optional(Type.Array(resource, { maxItems: 200 })),
    inboxes: Type.Optional(Type.Array(inbox, { maxItems: 200 })),
    views: Type.Optional(Type.Array(view, { maxItems: 200 })),
    actions: Type.Optional(Type.Array(action, { maxItems: 1000 })),
    pages: Type.Optional(Type.Array(page, { maxItems: 200 })),
    flags: Type.Optional(Type.Array(flag, { maxItems: 2000 })),
  },
  { description: 'What a customer’s app declares to the service.' },
);

export type Manifest = Static<typeof manifestSchema>;
export type ManifestInbox = Static<typeof inbox>;
export type ManifestView = Static<typeof view>;
export type ManifestResource = Static<typeof resource>;
export type ManifestAction = Static<typeof action>;
export type ManifestPage = Static<typeof page>;
export type ManifestFlag = Static<typeof flag>;
