/** Schemas of approvals in requests and responses, for api/routes/approvals.ts and the endpoints that may answer `pending`. */
import { limits } from '../catalogue/limits.ts';
import { approvalStatuses } from '../catalogue/states/approvals.ts';
import {
  actorSchema,
  idSchema,
  lookupIdSchema,
  nullable,
  responseObject,
  strictObject,
  timeSchema,
  Type,
  visibleSchema,
  warningsSchema,
  type Static,
} from '../platform/json/schema.ts';
import { compileCheck } from '../platform/json/validate.ts';
import { approvalKinds } from './model.ts';

const timestampSchema = (description: string) =>
  Type.Integer({ description: `${description} (milliseconds since 1970 UTC)` });
export const approvalKindSchema = Type.Union(
  approvalKinds.map((kind) => Type.Literal(kind)),
  { description: 'What was requested.' },
);
export const approvalStatusSchema = Type.Union(
  approvalStatuses.map((status) => Type.Literal(status)),
  { description: 'Only pending is not final.' },
);
const target = (description: string) => nullable(Type.Object({}, { description }));

const commentSchema = responseObject(
  {
    id: idSchema('cmt', 'Id.'),
    at: timestampSchema('at'),
    by: actorSchema,
    text: Type.String({ description: 'Plain text.' }),
  },
  { description: 'A comment on a request.' },
);

export const approvalSchema = responseObject({
  id: idSchema('apr', 'Id.'),
  kind: approvalKindSchema,
  summary: Type.String({ description: 'One line for who decides.' }),
  sentence: Type.String({
    description: 'What it would do, as you see it.',
  }),
  reason: nullable(Type.String({ description: 'Why, in the requester’s words.' })),
  requestedBy: actorSchema,
  requestedAt: timestampSchema('requestedAt'),
  expiresAt: timestampSchema('expiresAt'),
  status: approvalStatusSchema,
  decidedBy: nullable(actorSchema),
  decidedAt: nullable(timestampSchema('decidedAt')),
  note: nullable(Type.String({ description: 'The decider’s note.' })),
  votes: Type.Array(
    responseObject({
      by: actorSchema,
      at: timestampSchema('at'),
      note: nullable(Type.String({ description: 'Their note.' })),
    }),
    { description: 'Who has approved it, while it waits for others.' },
  ),
  needed: Type.Integer({ description: 'How many people have to approve it.' }),
  roles: nullable(Type.Array(Type.String(), { description: 'The roles whose people may decide it; null: all.' })),
  asked: target('What was asked for: input, operation or change.'),
  decided: target('What it is now, or was approved as; null: nobody has decided or edited it.'),
  question: nullable(
    responseObject(
      {
        text: Type.String({ description: 'What is asked.' }),
        options: Type.Array(Type.String(), { description: 'The answers to choose from.' }),
        fallback: nullable(Type.String({ description: 'The answer once it has expired.' })),
      },
      { description: 'What an agent asks.' },
    ),
  ),
  answer: nullable(Type.String({ description: 'The answer to the question.' })),
  comments: Type.Array(commentSchema, { description: 'What was asked and said, the oldest first.' }),
  action: nullable(Type.String({ description: 'The action.' })),
  resource: nullable(Type.String({ description: 'Resource.' })),
  record: nullable(Type.String({ description: 'Record.' })),
  input: target('Input.'),
  leftOut: target('What it leaves out, as described.'),
  flag: nullable(Type.String({ description: 'The flag.' })),
  change: target('Change.'),
  replaced: target('The ramp that it replaces.'),
  operation: target('Operation.'),
  before: target('As it was when requested.'),
  now: target('As it is.'),
  after: target('As it would be, if known.'),
  digest: nullable(Type.String({ description: 'What you see of it; send it when you approve.' })),
  reversible: nullable(Type.Boolean({ description: 'Whether it can be undone; null: not said.' })),
  canDecide: responseObject(
    {
      approve: Type.Boolean({ description: 'Whether you may now.' }),
      why: nullable(Type.String({ description: 'What stands against it.' })),
    },
    { description: 'Whether you may decide it.' },
  ),
  others: nullable(Type.Array(Type.String(), { description: 'Others that wait on its target.' })),
  item: nullable(Type.String({ description: 'The item whose timeline shows it.' })),
  itemTitle: nullable(Type.String({ description: 'Its title.' })),
  inbox: nullable(Type.String({ description: 'Inbox.' })),
  inboxes: nullable(Type.Array(Type.String(), { description: 'Those of a bulk’s items.' })),
  run: nullable(Type.String({ description: 'Run.' })),
  bulk: nullable(Type.String({ description: 'Bulk.' })),
});

export const pendingResponse = responseObject({
  pending: Type.Literal(true, { description: 'A person has to approve it.' }),
  approval: idSchema('apr', 'The approval.'),
  warnings: Type.Optional(warningsSchema),
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

export const approveInput = strictObject({
  ...decisionInput.properties,
  digest: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'As you read it: what changed since is not approved.',
    }),
  ),
  input: Type.Optional(Type.Object({}, { description: 'The input of the action in place of the one asked for.' })),
  operation: Type.Optional(Type.Object({}, { description: 'The change of the item in place of the one asked for.' })),
  change: Type.Optional(Type.Object({}, { description: 'The change of the flag in place of the one asked for.' })),
});
export type ApproveInput = Static<typeof approveInput>;
export const checkApprove = compileCheck(approveInput);

export const commentInput = strictObject({
  text: visibleSchema(limits.reasonMax, 'Plain text, as a question or an answer.'),
});
export const checkComment = compileCheck(commentInput);
export const commentResponse = responseObject({ comment: commentSchema });

export const questionInput = strictObject({
  text: visibleSchema(limits.reasonMax, 'What you want to know.'),
  options: Type.Array(visibleSchema(limits.optionMax, 'An answer.'), {
    minItems: 1,
    maxItems: limits.questionOptions,
    uniqueItems: true,
    description: 'The answers to choose from.',
  }),
  item: Type.Optional(lookupIdSchema('The item that it is about.')),
  until: Type.Optional(timeSchema('When it expires; after 72 hours by default')),
  fallback: Type.Optional(Type.String({ description: 'The option that holds if nobody answers.' })),
});
export type QuestionInput = Static<typeof questionInput>;
export const checkQuestion = compileCheck(questionInput);

export const answerInput = strictObject({
  answer: Type.String({ description: 'One of the options.' }),
});
export type AnswerInput = Static<typeof answerInput>;
export const checkAnswer = compileCheck(answerInput);

export const approvalResponse = responseObject({ approval: approvalSchema });
export const approvedResponse = responseObject({
  approval: approvalSchema,
  run: nullable(Type.String({ description: 'Run.' })),
  flag: target('Flag.'),
  bulk: target('Bulk.'),
  item: target('Item.'),
});

const decisionOutcomes = [
  'approved',
  'rejected',
  'voted',
  'already_decided',
  'stale',
  'changed_since_seen',
  'forbidden',
  'not_found',
  'conflict',
] as const;
export type DecisionOutcome = (typeof decisionOutcomes)[number];

export const decideInput = strictObject({
  ...decisionInput.properties,
  decisions: Type.Array(
    strictObject({
      id: lookupIdSchema('The approval.'),
      digest: Type.String({ minLength: 1, maxLength: 200, description: 'As you read it.' }),
    }),
    { minItems: 1, maxItems: limits.decisionsMax, description: 'In the order in which they are decided.' },
  ),
  verdict: Type.Union([Type.Literal('approve'), Type.Literal('reject')], { description: 'The same for all.' }),
});
export type DecideInput = Static<typeof decideInput>;
export const checkDecide = compileCheck(decideInput);

export const decidedResponse = responseObject({
  results: Type.Array(
    responseObject({
      id: Type.String({ description: 'The approval.' }),
      outcome: Type.Union(
        decisionOutcomes.map((outcome) => Type.Literal(outcome)),
        { description: 'What became of it.' },
      ),
      error: nullable(Type.String({ description: 'Why it was not decided.' })),
      approval: nullable(approvalSchema),
    }),
    { description: 'In the order of the decisions.' },
  ),
});
