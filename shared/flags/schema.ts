/** The schemas of flags and their changes, of requests and of responses. Used by the endpoints and flagChangeProblems.ts. */
import { limits } from '../catalogue/limits.ts';
import { conditionSchema } from '../platform/conditions/conditionSchema.ts';
import {
  actorSchema,
  nameSchema,
  nullable,
  responseObject,
  strictObject,
  tagSchema,
  timeSchema,
  Type,
  warningsSchema,
} from '../platform/json/schema.ts';

const percentage = (description: string) =>
  Type.Number({ minimum: 0, maximum: 100, description: `${description}; three decimals.` });
const anyValue = (description: string) => Type.Unknown({ description });

const kind = Type.Union(
  [Type.Literal('boolean'), Type.Literal('string'), Type.Literal('number'), Type.Literal('json')],
  { description: 'What its values are.' },
);

const ruleSchema = Type.Union(
  [
    strictObject({ when: conditionSchema, value: anyValue('The value then.') }),
    strictObject({ when: conditionSchema, rollout: percentage('The share of records it is on for then') }),
  ],
  { description: 'What holds when the condition does.' },
);

const guardThen = Type.Union([Type.Literal('stop'), Type.Literal('rollback')], {
  description: 'Stop, or roll back.',
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
      description: 'They are counted over so many ms.',
    }),
    // oxlint-disable-next-line unicorn/no-thenable
    then: guardThen,
  },
  { description: 'Watches an inbox until `within` after the last step.' },
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
      description: 'The ms between two steps.',
    }),
    at: Type.Optional(nullable(timeSchema('When it starts; null: now'))),
    guard: Type.Optional(nullable(guardSchema)),
  },
  { description: `Moves the rollout by itself, in at most ${String(limits.rampSteps)} steps.` },
);

const flagChangeSchema = strictObject(
  {
    value: Type.Optional(anyValue('The value; without `rollout` it also ends rollout and ramp.')),
    rollout: Type.Optional(nullable(percentage('The share of records it is on for'))),
    targets: Type.Optional(
      Type.Object(
        {},
        {
          maxProperties: limits.flagTargets,
          description: 'Values by record id, merged; null takes one away.',
        },
      ),
    ),
    rules: Type.Optional(
      Type.Array(ruleSchema, {
        maxItems: limits.flagRules,
        description: 'The rules, in their order; they replace those there.',
      }),
    ),
    ramp: Type.Optional(nullable(rampSchema)),
  },
  { minProperties: 1, description: 'What changes: what is left out stays.' },
);

export const flagChangeBody = strictObject({
  change: flagChangeSchema,
  confirmed: Type.Optional(Type.Boolean({ description: 'Must be true where there is a danger level.' })),
  dryRun: Type.Optional(Type.Boolean({ description: 'true: only say what would happen.' })),
});

export const rampResponse = responseObject({
  to: Type.Number({ description: 'The rollout at its end.' }),
  over: Type.Integer({ description: 'How long it takes, in ms.' }),
  every: Type.Integer({ description: 'The ms between two steps.' }),
  at: nullable(Type.Integer({ description: 'When it was to start (milliseconds since 1970 UTC); null: at once.' })),
  // oxlint-disable-next-line unicorn/no-thenable
  guard: nullable(
    responseObject(
      {
        inbox: Type.String({ description: 'The inbox that is watched.' }),
        tag: nullable(Type.String({ description: 'Only items with this tag count; null: all.' })),
        above: Type.Integer({ description: 'More occurrences than this are too many.' }),
        within: Type.Integer({ description: 'They are counted over so many ms.' }),
        then: guardThen,
      },
      { description: 'What is watched meanwhile; null: nothing.' },
    ),
  ),
  from: Type.Number({ description: 'The rollout at its start.' }),
  startedAt: Type.Integer({ description: 'When it started or will (milliseconds since 1970 UTC).' }),
  step: Type.Integer({ description: 'The last step that was taken.' }),
  steps: Type.Integer({ description: 'How many steps it takes.' }),
  nextAt: nullable(Type.Integer({ description: 'When the next step is due.' })),
  status: Type.Union(
    ['scheduled', 'running', 'done', 'stopped', 'rolled_back'].map((status) => Type.Literal(status)),
    { description: 'How far it is.' },
  ),
});

export const flagSchema = responseObject({
  flag: Type.String({ description: 'Its key.' }),
  kind,
  value: Type.Unknown({ description: 'Where nothing else decides.' }),
  rollout: nullable(Type.Number({ description: 'On for this percentage of record ids; null: none.' })),
  targets: Type.Object({}, { description: 'Values by record id.' }),
  rules: Type.Array(Type.Object({ when: Type.Unknown({ description: 'A condition.' }) }), {
    description: 'What holds by conditions; the first wins.',
  }),
  ramp: nullable(rampResponse),
  approval: Type.Boolean({ description: 'Whether a person has to approve each change.' }),
  danger: nullable(
    Type.Union([Type.Literal('low'), Type.Literal('high')], { description: 'Then "confirmed": true is needed.' }),
  ),
  reasonRequired: Type.Boolean({ description: 'Whether each change needs a reason.' }),
  description: nullable(Type.String({ description: 'What it is, in the words of the app.' })),
  default: Type.Unknown({ description: 'The value that the app declares.' }),
  resource: nullable(Type.String({ description: 'The resource whose records it is evaluated for.' })),
  version: Type.Integer({ description: 'Raised by changes; send it as if-match.' }),
  updatedAt: nullable(
    Type.Integer({ description: 'When it last changed (milliseconds since 1970 UTC); null: never.' }),
  ),
  updatedBy: nullable(actorSchema),
});

const replacedSchema = nullable(rampResponse);

export const flagChangeResponse = responseObject({
  flag: flagSchema,
  changed: Type.Boolean({ description: 'false: it was so already.' }),
  replaced: Type.Optional(rampResponse),
  warnings: Type.Optional(warningsSchema),
});

export const flagDryRunResponse = responseObject({
  dryRun: Type.Literal(true, { description: 'Nothing was changed.' }),
  would: Type.Union([Type.Literal('change'), Type.Literal('pend'), Type.Literal('nothing')], {
    description: 'pend: a person has to approve it first.',
  }),
  flag: flagSchema,
  changed: Type.Boolean({ description: 'Whether the flag would be another.' }),
  replaced: replacedSchema,
  warnings: Type.Optional(warningsSchema),
});

export const flagHistorySchema = responseObject({
  id: Type.String({ description: 'Id.' }),
  at: Type.Integer({ description: 'at (milliseconds since 1970 UTC)' }),
  by: actorSchema,
  type: Type.Union(
    ['change', 'step', 'stop', 'rollback'].map((type) => Type.Literal(type)),
    { description: 'By hand, a ramp’s step, or what ended it early.' },
  ),
  replaced: replacedSchema,
  before: Type.Object({}, { description: 'The members that it changed, as they were.' }),
  after: Type.Object({}, { description: 'The same as they became.' }),
  approvedBy: nullable(actorSchema),
  reason: nullable(Type.String({ description: 'Why, of who changed it or of a ramp’s guard.' })),
});
