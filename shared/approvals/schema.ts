/** Schemas of approvals in requests and responses, for api/routes/approvals.ts and the endpoints that may answer `pending`. */
import { limits } from '../catalogue/limits.ts';
import { approvalStatuses } from '../catalogue/states/approvals.ts';
import {
  actorSchema,
  idSchema,
  nullable,
  responseObject,
  strictObject,
  Type,
  type Static,
} from '../platform/core/schema.ts';
import { compileCheck } from '../platform/core/validate.ts';
import { approvalKinds } from './model.ts';

const timestampSchema = (description: string) =>
  Type.Integer({ description: `${description} (milliseconds since 1970 UTC)` });
export const approvalStatusSchema = Type.Union(
  approvalStatuses.map((status) => Type.Literal(status)),
  { description: 'pending is the only status that is not final.' },
);
const target = (description: string) => nullable(Type.Object({}, { description }));

export const approvalSchema = responseObject({
  id: idSchema('apr', 'The approval.'),
  kind: Type.Union(
    approvalKinds.map((kind) => Type.Literal(kind)),
    { description: 'What was requested.' },
  ),
  summary: Type.String({ description: 'One line for who decides.' }),
  sentence: Type.String({
    description: 'What it would do, without what you don’t see.',
  }),
  reason: nullable(Type.String({ description: 'Why, in the requester’s words.' })),
  requestedBy: actorSchema,
  requestedAt: timestampSchema('When it was requested'),
  expiresAt: timestampSchema('When it expires'),
  status: approvalStatusSchema,
  decidedBy: nullable(actorSchema),
  decidedAt: nullable(timestampSchema('When it was decided')),
  note: nullable(Type.String({ description: 'The note of the person who decided.' })),
  action: nullable(Type.String({ description: 'The action.' })),
  resource: nullable(Type.String({ description: 'The resource of the record.' })),
  record: nullable(Type.String({ description: 'The record’s id.' })),
  input: target('The action’s input.'),
  flag: nullable(Type.String({ description: 'The flag.' })),
  change: target('The flag’s change.'),
  replaced: target('The running ramp that the change replaces.'),
  operation: target('The operation on the items.'),
  before: target('The target when it was requested.'),
  now: target('The target now.'),
  after: target('The target as it would be, if known.'),
  reversible: nullable(Type.Boolean({ description: 'Whether it can be undone; null: not said.' })),
  canDecide: responseObject(
    {
      approve: Type.Boolean({ description: 'Whether you may approve or reject it now.' }),
      why: nullable(Type.String({ description: 'What stands against it.' })),
    },
    { description: 'Whether you may decide it.' },
  ),
  item: nullable(Type.String({ description: 'The item whose timeline shows it.' })),
  inbox: nullable(Type.String({ description: 'That item’s inbox.' })),
  inboxes: nullable(Type.Array(Type.String(), { description: 'The inboxes of a bulk’s items.' })),
  run: nullable(Type.String({ description: 'The run that waits for it.' })),
  bulk: nullable(Type.String({ description: 'The bulk that waits for it.' })),
});

export const pendingResponse = responseObject({
  pending: Type.Literal(true, { description: 'A person has to approve it.' }),
  approval: idSchema('apr', 'The approval.'),
});

export const decisionInput = strictObject({
  note: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.subjectMax,
      pattern: '\\S',
      description: 'A note for the requester.',
    }),
  ),
});
export type DecisionInput = Static<typeof decisionInput>;
export const checkDecision = compileCheck(decisionInput);

export const approvalResponse = responseObject({ approval: approvalSchema });
export const approvedResponse = responseObject({
  approval: approvalSchema,
  run: nullable(Type.String({ description: 'The run that is queued or runs now.' })),
  flag: target('The flag as it is now.'),
  bulk: target('The bulk that is queued now.'),
  item: target('The item as it is now.'),
});
