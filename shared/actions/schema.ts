/** The schemas of requests and responses about actions and runs. Used by the endpoints. */
import { blockSchema } from '../blocks/schema.ts';
import { limits } from '../catalogue/limits.ts';
import { runStatuses } from '../catalogue/states/runs.ts';
import {
  actorSchema,
  describedSchema,
  idSchema,
  lookupIdSchema,
  nameSchema,
  nullable,
  responseObject,
  strictObject,
  Type,
  type Static,
} from '../platform/core/schema.ts';
import { compileCheck } from '../platform/core/validate.ts';

export const actionInput = strictObject({
  action: lookupIdSchema('The action.'),
  record: Type.Optional(Type.String({ description: 'The record’s id; given exactly when the action takes a record.' })),
  input: Type.Optional(Type.Object({}, { description: 'As the action’s schema says; its defaults are filled in.' })),
  item: Type.Optional(lookupIdSchema('An item on whose timeline the run is recorded.')),
  confirmed: Type.Optional(Type.Boolean({ description: 'Must be true for an action with a danger level.' })),
  dryRun: Type.Optional(Type.Boolean({ description: 'true: only say what would happen.' })),
});
export type ActionInput = Static<typeof actionInput>;
export const checkActionInput = compileCheck(actionInput);

export const retryInput = strictObject({
  confirmed: Type.Optional(Type.Boolean({ description: 'Must be true for an action with a danger level.' })),
});
export const checkRetryInput = compileCheck(retryInput);

const nullableTimeSchema = (description: string) =>
  nullable(Type.Integer({ description: `${description} (milliseconds since 1970 UTC)` }));
export const runStatusSchema = Type.Union(
  runStatuses.map((status) => Type.Literal(status)),
  { description: 'pending, queued and running are not final.' },
);

export const runSchema = responseObject({
  id: idSchema('run', 'The run; its idempotency key at the app.'),
  action: Type.String({ description: 'The action.' }),
  label: Type.String({ description: 'What people read.' }),
  resource: nullable(Type.String({ description: 'The resource of the record.' })),
  record: nullable(Type.String({ description: 'The record’s id.' })),
  item: nullable(Type.String({ description: 'The item on whose timeline it is.' })),
  input: Type.Object({}, { description: 'With the defaults filled in.' }),
  status: runStatusSchema,
  attempts: Type.Integer({ description: 'How often it was handed to the app.' }),
  attempt: Type.Integer({ description: '1, and one more for each retry that was asked for.' }),
  progress: nullable(Type.Number({ description: 'From 0 to 1, as the app says.' })),
  message: nullable(Type.String({ description: 'The app’s message.' })),
  blocks: nullable(Type.Array(blockSchema, { description: 'The result’s blocks.' })),
  error: nullable(Type.String({ description: 'Why it failed or what is not known.' })),
  code: nullable(Type.String({ description: 'The error code that goes with it.' })),
  by: actorSchema,
  approval: nullable(Type.String({ description: 'The approval that it waits or waited for.' })),
  approvedBy: nullable(actorSchema),
  bulk: nullable(Type.String({ description: 'The bulk that it belongs to.' })),
  requestedAt: Type.Integer({ description: 'When it was asked for (milliseconds since 1970 UTC).' }),
  startedAt: nullableTimeSchema('When it was first handed to the app'),
  finishedAt: nullableTimeSchema('When it got its final status'),
  expiresAt: nullableTimeSchema('When it expires if the app has not come back'),
});

const runId = idSchema('run', 'The run.');
export const runResultResponse = responseObject({
  message: nullable(Type.String()),
  blocks: Type.Array(blockSchema),
  run: runId,
});
export const acceptedRunResponse = Type.Union([
  responseObject({
    queued: Type.Literal(true, { description: 'The app is offline; it runs once the app is back.' }),
    run: runId,
  }),
  responseObject({ running: Type.Literal(true, { description: 'It runs; see the run.' }), run: runId }),
  responseObject({
    pending: Type.Literal(true, { description: 'A person has to approve it first.' }),
    approval: idSchema('apr', 'The approval.'),
    run: runId,
  }),
]);

const ref = strictObject({
  resource: nameSchema('The resource.'),
  id: Type.String({ minLength: 1, maxLength: limits.recordIdMax, description: 'The record’s id.' }),
});
export const availableInput = strictObject({
  refs: Type.Array(ref, { minItems: 1, maxItems: limits.availableRefs, description: 'The records.' }),
});
export const checkAvailableInput = compileCheck(availableInput);

const dangerSchema = nullable(
  Type.Union([Type.Literal('low'), Type.Literal('high')], { description: 'Then "confirmed": true is needed.' }),
);

const availableActionSchema = responseObject({
  action: Type.String(),
  label: Type.String(),
  description: describedSchema,
  danger: dangerSchema,
  approval: Type.Boolean(),
  background: Type.Boolean(),
  freshSignIn: Type.Boolean(),
  input: Type.Object({}, { description: 'JSON Schema of its input.' }),
  defaults: Type.Object({}, { description: 'What to begin the input with.' }),
});

export const actionDryRunResponse = responseObject({
  dryRun: Type.Literal(true),
  would: Type.Union([Type.Literal('run'), Type.Literal('start'), Type.Literal('queue'), Type.Literal('pend')], {
    description:
      'run: it runs and the call waits for the result; start: it runs in the background; queue: it waits for the app or for earlier runs of the record; pend: a person has to approve it first.',
  }),
  input: Type.Object({}, { description: 'With the defaults filled in.' }),
});

export const availableResponse = responseObject({
  available: Type.Array(
    responseObject({
      resource: Type.String(),
      id: Type.String(),
      actions: Type.Array(availableActionSchema),
      unavailable: Type.Array(responseObject({ action: Type.String(), reason: Type.String() })),
    }),
  ),
});

export const actionSchema = responseObject({
  name: Type.String(),
  label: Type.String(),
  description: describedSchema,
  resource: nullable(Type.String()),
  input: Type.Object({}),
  danger: dangerSchema,
  approval: Type.Boolean(),
  freshSignIn: Type.Boolean(),
  background: Type.Boolean(),
  repeatable: Type.Boolean({ description: 'Whether the same run may be handed to the app again when no answer came.' }),
  attempts: Type.Integer({ description: 'How often a repeatable one is handed over before its run ends unknown.' }),
  offline: Type.Union([Type.Literal('queue'), Type.Literal('refuse')]),
  offlineExpiry: Type.Integer(),
  timeout: Type.Integer(),
});
