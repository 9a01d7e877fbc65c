/** The schemas of flags and their changes, of requests and of responses. Used by the endpoints and flagChangeProblems.ts. */
import { limits } from '../catalogue/limits.ts';
import { conditionSchema } from '../platform/core/conditionSchema.ts';
import {
  actorSchema,
  nameSchema,
  nullable,
  responseObject,
  strictObject,
  tagSchema,
  timeSchema,
  Type,
} from '../platform/core/schema.ts';

const percentage = (description: string) =>
  Type.Number({ minimum: 0, maximum: 100, description: `${description}: 0 to 100, with at most three decimals.` });
const anyValue = (description: string) => Type.Unknown({ description });

const kind = Type.Union(
  [Type.Literal('boolean'), Type.Literal('string'), Type.Literal('number'), Type.Literal('json')],
  { description: 'What its values are.' },
);

const ruleSchema = Type.Union(
  [
    strictObject({ when: conditionSchema, value: anyValue('The value then.') }),
    strictObject({ when: conditionSchema, rollout: percentage('The share of the record ids for which it is on then') }),
  ],
  { description: 'What holds when the condition does: a value, or for on/off flags a percentage.' },
);

const guardThen = Type.Union([Type.Literal('stop'), Type.Literal('rollback')], {
  description: 'Stop where it is, or go back to where it began.',
});

const guardSchema = strictObject(
  {
    inbox: nameSchema('The inbox that is watched.'),
    tag: Type.Optional(nullable(tagSchema)),
    above: Type.Integer({
      minimum: 0,
      maximum: limits.guardAbove,
      description: 'More occurrences than this are too many.',
    }),
    within: Type.Integer({
      minimum: 1_000,
      maximum: limits.guardWithinMs,
      description: 'The time in which they are counted, in ms.',
    }),
    // oxlint-disable-next-line unicorn/no-thenable
    then: guardThen,
  },
  { description: 'Watches an inbox while the ramp goes on, and as long as it looks back after the last step.' },
);

const rampSchema = strictObject(
  {
    to: percentage('Where it ends'),
    over: Type.Integer({
      minimum: limits.rampEveryMs,
      maximum: limits.rampOverMs,
      description: 'How long it takes, in ms; at least `every`.',
    }),
    every: Type.Integer({
      minimum: limits.rampEveryMs,
      maximum: limits.rampOverMs,
      description: 'The time between two steps, in ms.',
    }),
    at: Type.Optional(nullable(timeSchema('When it starts; null: now'))),
    guard: Type.Optional(nullable(guardSchema)),
  },
  { description: `Moves the rollout by itself, in at most ${String(limits.rampSteps)} steps.` },
);

const flagChangeSchema = strictObject(
  {
    value: Type.Optional(anyValue('The value. Without `rollout` it also clears the rollout and stops a ramp.')),
    rollout: Type.Optional(nullable(percentage('The share of the record ids for which it is on'))),
    targets: Type.Optional(
      Type.Object(
        {},
        {
          maxProperties: limits.flagTargets,
          description: 'Values by record id, merged into those that there are; null takes one away.',
        },
      ),
    ),
    rules: Type.Optional(
      Type.Array(ruleSchema, {
        maxItems: limits.flagRules,
        description: 'The rules, in their order; they replace those that there are.',
      }),
    ),
    ramp: Type.Optional(nullable(rampSchema)),
  },
  { minProperties: 1, description: 'What changes: what is left out stays.' },
);

export const flagChangeBody = strictObject({
  change: flagChangeSchema,
  confirmed: Type.Optional(Type.Boolean({ description: 'Must be true for a flag with a danger level.' })),
  dryRun: Type.Optional(Type.Boolean({ description: 'true: only say what would happen.' })),
});

const rampResponse = responseObject({
  to: Type.Number(),
  over: Type.Integer(),
  every: Type.Integer(),
  at: nullable(Type.Integer()),
  // oxlint-disable-next-line unicorn/no-thenable
  guard: nullable(
    responseObject({
      inbox: Type.String(),
      tag: nullable(Type.String()),
      above: Type.Integer(),
      within: Type.Integer(),
      then: guardThen,
    }),
  ),
  from: Type.Number({ description: 'The rollout at its start.' }),
  startedAt: Type.Integer(),
  step: Type.Integer({ description: 'The last step that was taken.' }),
  steps: Type.Integer(),
  nextAt: nullable(Type.Integer({ description: 'When the next step is due.' })),
  status: Type.Union(
    ['scheduled', 'running', 'done', 'stopped', 'rolled_back'].map((status) => Type.Literal(status)),
    { description: 'How far it is.' },
  ),
});

export const flagSchema = responseObject({
  flag: Type.String({ description: 'Its key.' }),
  kind,
  value: Type.Unknown(),
  rollout: nullable(Type.Number()),
  targets: Type.Object({}, { description: 'Values by record id.' }),
  rules: Type.Array(Type.Object({ when: Type.Unknown() })),
  ramp: nullable(rampResponse),
  approval: Type.Boolean({ description: 'Whether a person has to approve each change.' }),
  danger: nullable(Type.Union([Type.Literal('low'), Type.Literal('high')])),
  description: nullable(Type.String()),
  default: Type.Unknown(),
  resource: nullable(Type.String({ description: 'The resource whose records it is evaluated for.' })),
  version: Type.Integer(),
  updatedAt: nullable(Type.Integer()),
  updatedBy: nullable(actorSchema),
});

const replacedSchema = nullable(rampResponse);

export const flagChangeResponse = responseObject({
  flag: flagSchema,
  changed: Type.Boolean({ description: 'false: it was so already.' }),
  replaced: Type.Optional(rampResponse),
});

export const flagDryRunResponse = responseObject({
  dryRun: Type.Literal(true),
  would: Type.Union([Type.Literal('change'), Type.Literal('pend'), Type.Literal('nothing')], {
    description: 'pend: a person has to approve it first.',
  }),
  flag: flagSchema,
  changed: Type.Boolean({ description: 'Whether the flag would be another.' }),
  replaced: replacedSchema,
});

export const flagHistorySchema = responseObject({
  id: Type.String(),
  at: Type.Integer(),
  by: actorSchema,
  type: Type.Union(
    ['change', 'step', 'stop', 'rollback'].map((type) => Type.Literal(type)),
    { description: 'By hand, a step of a ramp, or what ended a ramp before its time.' },
  ),
  replaced: replacedSchema,
  before: Type.Object({}, { description: 'The members that it gave another value, as they were.' }),
  after: Type.Object({}, { description: 'The same as they became.' }),
  approvedBy: nullable(actorSchema),
  reason: nullable(Type.String({ description: 'Why a ramp ended before its time.' })),
});
