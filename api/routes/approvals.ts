/** Approvals: looked at by those whom they concern, decided by persons. */
import type { ApprovalStatus } from '../../shared/catalogue/states.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { approve, cancel, reject, requireDecider } from '../../shared/decisions/decide.ts';
import { seenApprovals } from '../../shared/views/approvals/now.ts';
import { listApprovals, visibleApproval } from '../../shared/approvals/queries.ts';
import { approvalAnswer, approvalSchema, approvedAnswer, checkDecision, decisionInput, statusSchema, type DecisionInput } from '../../shared/approvals/schema.ts';
import { answer, closed, cursor, limit, nextCursor, Type } from '../../shared/platform/core/schema.ts';
import { compile } from '../../shared/platform/core/validate.ts';
import { read, write, type Call, type Endpoint } from '../endpoint.ts';
import type { Answer } from '../answer.ts';

const exampleApproval = 'apr_01jd0000000000000000000000';
const idOf = ({ params }: Pick<Call, 'params'>): string => params['id'] ?? '';

const list = read({
  path: '/approvals',
  name: 'approval.list',
  summary: 'Requests for approval, newest first; the pending ones unless a status is named',
  tag: 'Approvals',
  query: closed({ status: Type.Optional(statusSchema), cursor: Type.Optional(cursor), limit: Type.Optional(limit) }),
  responses: { 200: answer({ approvals: Type.Array(approvalSchema), cursor: nextCursor }) },
  example: { query: { status: 'pending' } },
  handle: async ({ deps, caller, query: { status: wanted, cursor: given, limit: size } }) => {
    const { env, principal } = caller;
    const status: ApprovalStatus = wanted ?? 'pending';
    const key = `approvals:${JSON.stringify([principal.id, principal.access.key, status])}`;
    const keys = env.seal.openCursor(key, given);
    const { approvals, next } = await listApprovals(deps.db, caller, { status, before: keys === null ? null : String(keys[0]), limit: size ?? limits.pageDefault });
    return { status: 200, body: { approvals: await seenApprovals(deps, caller, approvals), cursor: next === null ? null : env.seal.cursor(key, [next]) }, items: true };
  },
});

const one = read({
  path: '/approvals/:id',
  name: 'approval.get',
  summary: 'A request for approval, with its target as it was and as it is',
  tag: 'Approvals',
  query: closed({}),
  responses: { 200: approvalAnswer },
  example: { params: { id: exampleApproval } },
  handle: async (call) => {
    const { deps, caller } = call;
    const [approval] = await seenApprovals(deps, caller, [await visibleApproval(deps.db, caller, idOf(call))]);
    return { status: 200, body: { approval }, items: true };
  },
});

type Decide = (call: Call<unknown, DecisionInput>) => Promise<string>;

const decision = (verb: 'approve' | 'reject', summary: string, decide: Decide): Endpoint =>
  write<DecisionInput>({
    path: `/approvals/:id/${verb}`,
    name: `approval.${verb}`,
    summary,
    tag: 'Approvals',
    body: decisionInput,
    bodyOptional: true,
    responses: { 200: verb === 'approve' ? approvedAnswer : approvalAnswer },
    example: { params: { id: exampleApproval }, body: { note: 'Checked with the customer.' } },
    audit: { verb: `approval.${verb}`, target: (call) => ({ type: 'approval', id: idOf(call) }) },
    check: checkDecision,
    handle: async (call): Promise<Answer> => {
      requireDecider(call.caller);
      return { status: 200, body: await decide(call), items: true };
    },
  });

const noteOf = ({ body: { note } }: Call<unknown, DecisionInput>): string | null => note ?? null;

const approval = decision('approve', 'Approve a request: it is done, under the name of who asked', (call) =>
  approve(call.deps, call.caller, idOf(call), { note: noteOf(call), save: (text) => call.save(200, text) }));

const rejection = decision('reject', 'Reject a request: nothing is done', (call) =>
  reject(call.deps, call.caller, idOf(call), { note: noteOf(call), save: (text) => call.save(200, text) }));

const nothing = closed({});

const cancellation = write({
  path: '/approvals/:id/cancel',
  name: 'approval.cancel',
  summary: 'Take one’s own request back',
  tag: 'Approvals',
  body: nothing,
  bodyOptional: true,
  responses: { 200: approvalAnswer },
  example: { params: { id: exampleApproval } },
  audit: { verb: 'approval.cancel', target: (call) => ({ type: 'approval', id: idOf(call) }) },
  check: compile(nothing),
  handle: async (call) => ({ status: 200, body: await cancel(call.deps, call.caller, idOf(call), (text) => call.save(200, text)), items: true }),
});

export const approvalEndpoints: readonly Endpoint[] = [list, one, approval, rejection, cancellation];
