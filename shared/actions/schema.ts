/** Actions and runs as they are asked for and answered. */
import { runStatuses } from '../catalogue/states.ts';
import { limits } from '../catalogue/limits.ts';
import { answer, by, closed, id, lookupId, name, nullable, Type, type Static } from '../platform/core/schema.ts';
import { compile } from '../platform/core/validate.ts';
import { blockSchema } from '../blocks/schema.ts';

export const actionInput = closed({
  action: lookupId('The action.'),
  record: Type.Optional(Type.String({ description: 'The record’s id; given exactly when the action takes a record.' })),
  input: Type.Optional(Type.Object({}, { description: 'As the action’s schema says; its defaults are filled in.' })),
  item: Type.Optional(lookupId('An item on whose timeline the run is recorded.')),
  confirmed: Type.Optional(Type.Boolean({ description: 'Must be true for an action with a danger level.' })),
});
export type ActionInput = Static<typeof actionInput>;
export const checkActionInput = compile(actionInput);

export const retryInput = closed({ confirmed: Type.Optional(Type.Boolean({ description: 'Must be true for an action with a danger level.' })) });
export const checkRetry = compile(retryInput);

const moment = (description: string) => nullable(Type.Integer({ description: `${description} (milliseconds since 1970 UTC)` }));
export const statusSchema = Type.Union(runStatuses.map((status) => Type.Literal(status)), { description: 'pending, queued and running are not final.' });

export const runSchema = answer({
  id: id('run', 'The run; its idempotency key at the app.'),
  action: Type.String({ description: 'The action.' }),
  label: Type.String({ description: 'What people read.' }),
  resource: nullable(Type.String({ description: 'The resource of the record.' })),
  record: nullable(Type.String({ description: 'The record’s id.' })),
  item: nullable(Type.String({ description: 'The item on whose timeline it is.' })),
  input: Type.Object({}, { description: 'With the defaults filled in.' }),
  status: statusSchema,
  attempts: Type.Integer({ description: 'How often it was handed to the app.' }),
  attempt: Type.Integer({ description: '1, and one more for each retry that was asked for.' }),
  progress: nullable(Type.Number({ description: 'From 0 to 1, as the app says.' })),
  message: nullable(Type.String({ description: 'The app’s message.' })),
  blocks: nullable(Type.Array(blockSchema, { description: 'The result’s blocks.' })),
  error: nullable(Type.String({ description: 'Why it failed or what is not known.' })),
  code: nullable(Type.String({ description: 'The error code that goes with it.' })),
  by,
  approval: nullable(Type.String({ description: 'The approval that it waits or waited for.' })),
  approvedBy: nullable(by),
  bulk: nullable(Type.String({ description: 'The bulk that it belongs to.' })),
  requestedAt: Type.Integer({ description: 'When it was asked for (milliseconds since 1970 UTC).' }),
  startedAt: moment('When it was first handed to the app'),
  finishedAt: moment('When it got its final status'),
  expiresAt: moment('When it expires if the app has not come back'),
});

const runId = id('run', 'The run.');
export const doneAnswer = answer({ message: nullable(Type.String()), blocks: Type.Array(blockSchema), run: runId });
export const acceptedAnswer = Type.Union([
  answer({ queued: Type.Literal(true, { description: 'The app is offline; it runs once the app is back.' }), run: runId }),
  answer({ running: Type.Literal(true, { description: 'It runs; see the run.' }), run: runId }),
  answer({ pending: Type.Literal(true, { description: 'A person has to approve it first.' }), approval: id('apr', 'The approval.'), run: runId }),
]);

const ref = closed({ resource: name('The resource.'), id: Type.String({ minLength: 1, maxLength: limits.recordIdMax, description: 'The record’s id.' }) });
export const availableInput = closed({ refs: Type.Array(ref, { minItems: 1, maxItems: limits.availableRefs, description: 'The records.' }) });
export const checkAvailable = compile(availableInput);

export const dangerSchema = nullable(Type.Union([Type.Literal('low'), Type.Literal('high')], { description: 'Then "confirmed": true is needed.' }));

export const availableAction = answer({
  action: Type.String(),
  label: Type.String(),
  danger: dangerSchema,
  approval: Type.Boolean(),
  background: Type.Boolean(),
  freshSignIn: Type.Boolean(),
  input: Type.Object({}, { description: 'JSON Schema of its input.' }),
  defaults: Type.Object({}, { description: 'What to begin the input with.' }),
});

export const availableAnswer = answer({
  available: Type.Array(
    answer({
      resource: Type.String(),
      id: Type.String(),
      actions: Type.Array(availableAction),
      unavailable: Type.Array(answer({ action: Type.String(), reason: Type.String() })),
    }),
  ),
});

export const actionSchema = answer({
  name: Type.String(),
  label: Type.String(),
  resource: nullable(Type.String()),
  input: Type.Object({}),
  danger: dangerSchema,
  approval: Type.Boolean(),
  freshSignIn: Type.Boolean(),
  background: Type.Boolean(),
  repeatable: Type.Boolean(),
  offline: Type.Union([Type.Literal('queue'), Type.Literal('refuse')]),
  offlineExpiry: Type.Integer(),
  timeout: Type.Integer(),
});
