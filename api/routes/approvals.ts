/** The endpoints of approvals: the list, one, and deciding, which only people may do. */
import { listCursors } from '../../shared/accounts/access/listCursors.ts';
import { requirePerson } from '../../shared/accounts/access/principal.ts';
import { readOtherRequests } from '../../shared/approvals/others.ts';
import { listApprovals, readVisibleApproval } from '../../shared/approvals/queries.ts';
import {
  answerInput,
  approvalResponse,
  approvalSchema,
  approvalKindSchema,
  approvalStatusSchema,
  approvedResponse,
  approveInput,
  checkAnswer,
  checkApprove,
  checkComment,
  checkDecide,
  checkDecision,
  checkQuestion,
  commentInput,
  commentResponse,
  decidedResponse,
  decideInput,
  decisionInput,
  pendingResponse,
  questionInput,
  type AnswerInput,
  type ApproveInput,
  type DecisionInput,
  type QuestionInput,
} from '../../shared/approvals/schema.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import type { ApprovalStatus } from '../../shared/catalogue/states/approvals.ts';
import { commentOnApproval } from '../../shared/decisions/comment.ts';
import { approveRequest, cancelRequest, rejectRequest, requireDecider } from '../../shared/decisions/decide.ts';
import { decideRequests, presentDecisions } from '../../shared/decisions/decideSeveral.ts';
import type { Edit } from '../../shared/decisions/edits.ts';
import { answerQuestion, askQuestion, requireAsker, requireQuestion } from '../../shared/decisions/questions.ts';
import { insertSavedResponse } from '../../shared/platform/journal/changeWriter.ts';
import type { SavedResponse } from '../../shared/platform/journal/idempotency.ts';
import {
  cursorSchema,
  limitSchema,
  nextCursorSchema,
  responseObject,
  strictObject,
  Type,
  type Static,
} from '../../shared/platform/json/schema.ts';
import { compileCheck } from '../../shared/platform/json/validate.ts';
import { presentApprovals } from '../../shared/views/approvals/currentTargets.ts';
import { readEndpoint, writeEndpoint, type Endpoint, type EndpointCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { readEnded, waitQuery } from './readEnded.ts';

const exampleApproval = 'apr_01jd0000000000000000000000';
const exampleQuestion = 'apr_01jd0000000000000000000001';
const exampleDigest = 'cnVuLg1sZ0cF0nR3q5m0yQ8u2Jb7Hc1wXk4tVfZpE9s';
const idOf = ({ params }: Pick<EndpointCall, 'params'>): string => params['id'] ?? '';

const list = readEndpoint({
  path: '/approvals',
  standby: true,
  name: 'approval.list',
  summary: 'Requests for approval, newest first; pending unless given',
  tag: 'Approvals',
  query: strictObject({
    status: Type.Optional(approvalStatusSchema),
    kind: Type.Optional(approvalKindSchema),
    requestedBy: Type.Optional(Type.String({ description: 'Who asked.' })),
    cursor: Type.Optional(cursorSchema),
    limit: Type.Optional(limitSchema),
  }),
  responses: { 200: responseObject({ approvals: Type.Array(approvalSchema), cursor: nextCursorSchema }) },
  example: { query: { status: 'pending' } },
  handle: async ({
    deps,
    caller,
    query: { status: wanted, kind = null, requestedBy = null, cursor: given, limit: size },
  }) => {
    const { id, access } = caller.principal;
    const status: ApprovalStatus = wanted ?? 'pending';
    const cursors = listCursors(caller, 'approvals', [
      id,
      access.key,
      status,
      requestedBy,
      ...(kind === null ? [] : [kind]),
    ]);
    const keys = cursors.open(given);
    const { approvals, next } = await listApprovals(deps, caller, {
      status,
      requestedBy,
      kind,
      before: keys === null ? null : String(keys[0]),
      limit: size ?? limits.pageDefault,
    });
    return {
      status: 200,
      body: {
        approvals: await presentApprovals(deps, caller, approvals),
        cursor: cursors.next(next === null ? null : [next]),
      },
      items: true,
    };
  },
});

const one = readEndpoint({
  path: '/approvals/:id',
  about: 'approval',
  name: 'approval.get',
  summary: 'A request for approval, with its target as it was and as it is',
  tag: 'Approvals',
  query: waitQuery,
  responses: { 200: approvalResponse },
  example: { params: { id: exampleApproval } },
  handle: async (call) => {
    const { deps } = call;
    const id = idOf(call);
    const { found: wanted, caller } = await readEnded(call, {
      isAbout: (part) => part.type === 'approval' && part.approval.id === id,
      read: (reader) => readVisibleApproval(deps.db, reader, id),
      hasEnded: ({ status, expires_at: expiresAt }) => status !== 'pending' || expiresAt <= deps.clock.now(),
    });
    const [[approval], others] = await Promise.all([
      presentApprovals(deps, caller, [wanted]),
      readOtherRequests(deps, caller, wanted),
    ]);
    return { status: 200, body: { approval: { ...approval, others } }, items: true };
  },
});

type DecisionRow<B> = Pick<Parameters<typeof writeEndpoint<B>>[0], 'summary' | 'body' | 'check' | 'responses'> & {
  readonly verb: 'approve' | 'reject';
};

const decision = <B extends DecisionInput>(
  { verb, ...row }: DecisionRow<B>,
  decide: (call: EndpointCall<unknown, B>, save: (text: string) => SavedResponse | null) => Promise<string>,
): Endpoint =>
  writeEndpoint<B>({
    ...row,
    path: `/approvals/:id/${verb}`,
    name: `approval.${verb}`,
    tag: 'Approvals',
    bodyOptional: true,
    example: { params: { id: exampleApproval }, body: { note: 'Checked with the customer.' } },
    audit: { verb: `approval.${verb}`, target: (call) => ({ type: 'approval', id: idOf(call) }) },
    authorize: requireDecider,
    handle: async (call): Promise<ApiResponse> => ({
      status: 200,
      body: await decide(call, (text) => call.save(200, text)),
      items: true,
    }),
  });

/** Returns the decider's words: the note, or the reason that any change takes. */
const noteOf = ({ body: { note }, caller }: EndpointCall<unknown, DecisionInput>): string | null =>
  note ?? caller.reason ?? null;

/** Returns what the decider gives in place of what was asked for. */
const editOf = ({ input, operation, change }: ApproveInput): Edit => ({
  ...(input === undefined ? {} : { input }),
  ...(operation === undefined ? {} : { operation }),
  ...(change === undefined ? {} : { change }),
});

const approval = decision<ApproveInput>(
  {
    verb: 'approve',
    summary: 'Approve a request: it is done, under the name of who asked',
    body: approveInput,
    check: checkApprove,
    responses: { 200: approvedResponse },
  },
  (call, save) =>
    approveRequest(call.deps, call.caller, idOf(call), {
      note: noteOf(call),
      digest: call.body.digest,
      edit: editOf(call.body),
      save,
    }),
);

const rejection = decision<DecisionInput>(
  {
    verb: 'reject',
    summary: 'Reject a request: nothing is done',
    body: decisionInput,
    check: checkDecision,
    responses: { 200: approvalResponse },
  },
  (call, save) => rejectRequest(call.deps, call.caller, idOf(call), { note: noteOf(call), save }),
);

const several = writeEndpoint({
  path: '/approvals/decide',
  name: 'approval.decide',
  summary: 'Approve or reject several requests, each for itself',
  tag: 'Approvals',
  body: decideInput,
  responses: { 200: decidedResponse },
  example: { body: { decisions: [{ id: exampleApproval, digest: exampleDigest }], verdict: 'approve' } },
  audit: { verb: 'approval.decide', target: () => ({ type: 'approval', id: null }) },
  check: checkDecide,
  authorize: requireDecider,
  handle: async (call) => {
    const { deps, caller, body } = call;
    const results = await decideRequests(deps, caller, body, noteOf(call));
    const saved = call.save(200, JSON.stringify({ results }));
    if (saved !== null) await insertSavedResponse(deps.db, saved, deps.clock.now());
    return { status: 200, body: { results: await presentDecisions(deps, caller, results) }, items: true };
  },
});

const comment = writeEndpoint<Static<typeof commentInput>>({
  path: '/approvals/:id/comments',
  name: 'approval.comment',
  summary: 'Ask or say something about a request that waits',
  tag: 'Approvals',
  takesReason: false,
  body: commentInput,
  responses: { 201: commentResponse },
  example: { params: { id: exampleApproval }, body: { text: 'Which of the two payments is it?' } },
  audit: { verb: 'approval.comment', target: (call) => ({ type: 'approval', id: idOf(call) }) },
  check: checkComment,
  handle: async (call) => ({
    status: 201,
    body: await commentOnApproval(call.deps, call.caller, idOf(call), {
      text: call.body.text,
      save: (body) => call.save(201, body),
    }),
  }),
});

const question = writeEndpoint<QuestionInput>({
  path: '/questions',
  name: 'question.ask',
  summary: 'Ask people a question, with answers to choose from',
  tag: 'Approvals',
  body: questionInput,
  responses: { 202: pendingResponse },
  example: {
    body: { text: 'Is the outage over?', options: ['Yes', 'No', 'Not for all'], fallback: 'No' },
  },
  audit: { verb: 'approval.request', target: () => ({ type: 'approval', id: null }) },
  authorize: requireAsker,
  check: (body, at) => {
    const given = checkQuestion(body);
    requireQuestion(given, at);
    return given;
  },
  handle: async ({ deps, caller, body, save }) => {
    const pending = (approval: string): string => JSON.stringify({ pending: true, approval });
    return { status: 202, body: pending(await askQuestion(deps, caller, body, (id) => save(202, pending(id)))) };
  },
});

const answer = writeEndpoint<AnswerInput>({
  path: '/approvals/:id/answer',
  name: 'approval.answer',
  summary: 'Answer a question of an agent',
  tag: 'Approvals',
  body: answerInput,
  responses: { 200: approvalResponse },
  example: { params: { id: exampleQuestion }, body: { answer: 'Yes' } },
  audit: { verb: 'approval.answer', target: (call) => ({ type: 'approval', id: idOf(call) }) },
  authorize: requirePerson,
  check: checkAnswer,
  handle: async (call) => ({
    status: 200,
    body: await answerQuestion(call.deps, call.caller, idOf(call), {
      answer: call.body.answer,
      save: (text) => call.save(200, text),
    }),
    items: true,
  }),
});

const nothing = strictObject({});

const cancellation = writeEndpoint({
  path: '/approvals/:id/cancel',
  name: 'approval.cancel',
  summary: 'Take one’s own request back',
  tag: 'Approvals',
  body: nothing,
  bodyOptional: true,
  responses: { 200: approvalResponse },
  example: { params: { id: exampleApproval } },
  audit: { verb: 'approval.cancel', target: (call) => ({ type: 'approval', id: idOf(call) }) },
  check: compileCheck(nothing),
  handle: async (call) => ({
    status: 200,
    body: await cancelRequest(call.deps, call.caller, idOf(call), (text) => call.save(200, text)),
    items: true,
  }),
});

export const approvalEndpoints: readonly Endpoint[] = [
  list,
  one,
  several,
  approval,
  rejection,
  comment,
  question,
  answer,
  cancellation,
];
