/** The schemas of requests and responses about actions and runs. Used by the endpoints. */
import { blockSchema } from '../app/blocks/schema.ts';
import { limits } from '../catalogue/limits.ts';
import { runStatuses } from '../catalogue/states/runs.ts';
import { seenSchema } from '../items/seen.ts';
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
  warningsSchema,
} from '../platform/json/schema.ts';
import { compileCheck } from '../platform/json/validate.ts';

export const actionInput = strictObject({
  action: lookupIdSchema('The action.'),
  record: Type.Optional(Type.String({ description: 'The record’s id, exactly when the action takes one.' })),
  input: Type.Optional(Type.Object({}, { description: 'As the action’s schema says, defaults filled in.' })),
  item: Type.Optional(lookupIdSchema('The item whose timeline shows the run.')),
  seen: seenSchema,
  confirmed: Type.Optional(Type.Boolean({ description: 'Must be true where there is a danger level.' })),
  dryRun: Type.Optional(Type.Boolean({ description: 'true: only say what would happen.' })),
});
export type ActionInput = Static<typeof actionInput>;
export const checkActionInput = compileCheck(actionInput);

export const retryInput = strictObject({
  confirmed: Type.Optional(Type.Boolean({ description: 'Must be true where there is a danger level.' })),
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
  label: Type.String({ description: 'Label.' }),
  resource: nullable(Type.String({ description: 'Resource.' })),
  record: nullable(Type.String({ description: 'Record.' })),
  item: nullable(Type.String({ description: 'Its item.' })),
  input: Type.Object({}, { description: 'With the defaults filled in.' }),
  status: runStatusSchema,
  attempts: Type.Integer({ description: 'How often it was handed over.' }),
  attempt: Type.Integer({ description: '1, and one more for each retry.' }),
  progress: nullable(Type.Number({ description: 'From 0 to 1, as the app says.' })),
  message: nullable(Type.String({ description: 'Message.' })),
  blocks: nullable(Type.Array(blockSchema, { description: 'Blocks.' })),
  error: nullable(Type.String({ description: 'Why it failed.' })),
  code: nullable(Type.String({ description: 'The error code that goes with it.' })),
  by: actorSchema,
  approval: nullable(Type.String({ description: 'Its approval.' })),
  approvedBy: nullable(actorSchema),
  bulk: nullable(Type.String({ description: 'Its bulk.' })),
  reason: nullable(Type.String({ description: 'Why, in the requester’s words.' })),
  requestedAt: Type.Integer({ description: 'requestedAt (milliseconds since 1970 UTC)' }),
  startedAt: nullableTimeSchema('When it was handed over first'),
  finishedAt: nullableTimeSchema('finishedAt'),
  expiresAt: nullableTimeSchema('When it expires while queued'),
});

const runId = idSchema('run', 'The run.');
/** Warnings to an agent that has not claimed the item, or has not read it. */
const warnings = Type.Optional(warningsSchema);
export const runResultResponse = responseObject({
  message: nullable(Type.String({ description: 'Message.' })),
  blocks: Type.Array(blockSchema, { description: 'Blocks.' }),
  run: runId,
  warnings,
});
export const acceptedRunResponse = Type.Union([
  responseObject({
    queued: Type.Literal(true, { description: 'It runs once the app is back.' }),
    run: runId,
    warnings,
  }),
  responseObject({ running: Type.Literal(true, { description: 'It runs; see the run.' }), run: runId, warnings }),
  responseObject({
    pending: Type.Literal(true, { description: 'A person has to approve it.' }),
    approval: idSchema('apr', 'The approval.'),
    run: runId,
    warnings,
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

const reasonRequiredResponse = Type.Boolean({ description: 'Whether a reason has to be given.' });
const reversibleResponse = nullable(Type.Boolean({ description: 'Whether it can be undone; null: not said.' }));

const needsApproval = Type.Boolean({ description: 'Whether each run needs approval.' });
const inBackground = Type.Boolean({ description: 'Whether it goes on after the answer.' });
const needsFreshSignIn = Type.Boolean({ description: 'Whether a fresh sign-in is needed.' });

export const availableActionSchema = responseObject({
  action: Type.String({ description: 'The action.' }),
  label: Type.String({ description: 'Label.' }),
  description: describedSchema,
  danger: dangerSchema,
  approval: needsApproval,
  background: inBackground,
  freshSignIn: needsFreshSignIn,
  reasonRequired: reasonRequiredResponse,
  reversible: reversibleResponse,
  input: Type.Object({}, { description: 'JSON Schema of its input.' }),
  defaults: Type.Object({}, { description: 'What to begin the input with.' }),
});

export const actionDryRunResponse = responseObject({
  dryRun: Type.Literal(true, { description: 'Nothing was done.' }),
  would: Type.Union([Type.Literal('run'), Type.Literal('start'), Type.Literal('queue'), Type.Literal('pend')], {
    description: 'run: with its result; start: in the background; queue: for the app or a run; pend: for a person.',
  }),
  input: Type.Object({}, { description: 'With the defaults filled in.' }),
  warnings,
});

export const availableResponse = responseObject({
  available: Type.Array(
    responseObject({
      resource: Type.String({ description: 'Resource.' }),
      id: Type.String({ description: 'The record’s id.' }),
      actions: Type.Array(availableActionSchema, { description: 'Those that apply now.' }),
      unavailable: Type.Array(
        responseObject({
          action: Type.String({ description: 'The action.' }),
          reason: Type.String({ description: 'Why it does not apply now.' }),
        }),
        { description: 'Those that you may run but do not apply now.' },
      ),
    }),
    { description: 'For each record, in the order given.' },
  ),
});

export const actionSchema = responseObject({
  name: Type.String({ description: 'Name.' }),
  label: Type.String({ description: 'Label.' }),
  description: describedSchema,
  resource: nullable(Type.String({ description: 'The resource of the record that it takes; null: none.' })),
  input: Type.Object({}, { description: 'JSON Schema of its input.' }),
  danger: dangerSchema,
  approval: needsApproval,
  freshSignIn: needsFreshSignIn,
  reasonRequired: reasonRequiredResponse,
  reversible: reversibleResponse,
  background: inBackground,
  repeatable: Type.Boolean({ description: 'Whether a run may be handed over again.' }),
  attempts: Type.Integer({ description: 'How often a repeatable run is handed over.' }),
  offline: Type.Union([Type.Literal('queue'), Type.Literal('refuse')], {
    description: 'Whether a run waits while the app is offline.',
  }),
  offlineExpiry: Type.Integer({ description: 'How long a queued run waits for the app, in ms.' }),
  timeout: Type.Integer({ description: 'How long the app may take, in ms.' }),
});
