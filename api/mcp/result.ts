/** The result of a tool's call: the endpoint's body in the form that was asked for, or its fault. Used by server.ts. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { Fault, invalidAt } from '../../shared/catalogue/errors.ts';
import { invalidFault } from '../../shared/platform/core/validate.ts';
import type { EndpointCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { toFaultResponse } from '../http/response.ts';
import { assignablePeople } from '../routes/people.ts';
import { withoutEmpty, type Members } from './answers/members.ts';
import { bodyOf, servePage } from './answers/page.ts';
import { presentBody, type Detail } from './answers/present.ts';
import { readCursorTime, withCursorTime } from './arguments/cursorTimes.ts';
import {
  approvedHint,
  assigneeHint,
  bulkHint,
  conflictHint,
  emptyHint,
  guardHint,
  missingHint,
  nextStepHint,
  repeatedAnswer,
  repeatHint,
} from './hints.ts';
import { withMissingArgument } from './missing.ts';
import { searchHint } from './searchHints.ts';
import type { Tool } from './tool.ts';

const toResult = (value: Members, isError: boolean): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: value,
  isError,
});

/** What the messages of HTTP say of its own forms, which tools do not take. */
const wireRemark = ', in milliseconds since 1970 UTC';

/** Returns the fault with the paths of the tool's arguments. */
const withArgumentPaths = (failure: Fault, tool: Tool, given: Members): Fault => {
  const { code, message: text, extra } = failure;
  const details = extra.details?.map(({ path, message }) => ({
    path: tool.argumentPath(path, given),
    message: message.replace(wireRemark, ''),
  }));
  if (details === undefined) return failure;
  // The message of `invalid` names the first path; that of another may begin with it.
  if (code === 'invalid') return invalidFault(details);
  const [before, now] = [extra.details?.[0]?.path ?? '', details[0]?.path ?? ''];
  const isNamed = before !== '' && text.startsWith(`${before} `);
  return new Fault(code, isNamed ? `${now}${text.slice(before.length)}` : text, { ...extra, details });
};

/** Returns the result of a call that was refused; `hint`: what is said beside. */
export const toToolError = (failure: Fault, hint: string | null = null): CallToolResult => {
  const { status, body } = toFaultResponse(failure);
  const { value } = presentBody({ ...(typeof body === 'object' ? body : {}), status });
  return toResult({ ...value, ...withoutEmpty({ hint }) }, true);
};

/** Returns how much the call asks for, and the arguments of the tool itself. Throws `invalid` for another detail. */
const splitDetail = (given: Members, { projected }: Tool): { readonly detail: Detail; readonly rest: Members } => {
  const { detail, ...rest } = given;
  if (detail !== undefined && detail !== null && detail !== 'full' && detail !== 'compact')
    throw invalidAt('detail', 'must be "compact" or "full"');
  if (detail === 'full') return { detail: 'full', rest };
  return { detail: projected !== null && rest['fields'] !== undefined ? 'fields' : 'compact', rest };
};

interface ToolCallResult {
  readonly result: CallToolResult;
  /** Whether the result has items, and so the offset of the live stream from before they were read. */
  readonly items: boolean;
}

/** Returns the names of the people that `GET /people` lists for the caller, by id; none where it is refused. */
const namesOfPeople = (call: EndpointCall): ReadonlyMap<string, string> => {
  try {
    return new Map(assignablePeople(call).map(({ id, name }) => [id, name]));
  } catch (error) {
    if (error instanceof Fault && error.code === 'forbidden') return new Map();
    throw error;
  }
};

/** Returns whether the answer is that of an earlier call with the same idempotency key. */
const isRepeated = ({ headers }: ApiResponse): boolean => headers?.['idempotent-replayed'] !== undefined;

/** Returns what to ask next, or that the answer is that of an earlier call; null: the answer is the end. */
const nextOf = async (
  call: EndpointCall,
  response: ApiResponse,
  { body, since }: { readonly body: Members; readonly since: number },
): Promise<string | null> => {
  if (isRepeated(response)) return response.status === 202 ? repeatHint(call, body) : repeatedAnswer;
  return response.status === 202 ? nextStepHint(call, body, since) : approvedHint(body);
};

const serveTool = async (
  tool: Tool,
  call: EndpointCall,
  given: Members,
): Promise<{ readonly response: ApiResponse; readonly value: Members }> => {
  const { detail, rest } = splitDetail(given, tool);
  const { page, kinds, projected } = tool;
  const form = {
    detail,
    kinds,
    projected,
    definition: call.caller.env.definition,
    namesOfPeople: () => namesOfPeople(call),
  };
  const since = call.deps.clock.now();
  const { given: asked, now } = readCursorTime(rest, since);
  const hintFor = async (body: Members): Promise<string | null> =>
    tool.entry.annotations.readOnlyHint
      ? ((await emptyHint(call, asked, body)) ?? (await searchHint(call, asked, body)))
      : ((await guardHint(call, asked)) ?? (await bulkHint(call, asked, body)));
  if (page === null) {
    const response = await tool.serve(call, asked, now);
    const body = bodyOf(response);
    const said = {
      next: await nextOf(call, response, { body, since }),
      hint: (await hintFor(body)) ?? missingHint(asked, body) ?? assigneeHint(call, asked, body),
    };
    return { response, value: { ...presentBody(body, form).value, ...withoutEmpty(said) } };
  }
  const { response, value } = await servePage({
    tool: page,
    caller: call.caller,
    given: asked,
    form,
    serve: (part) => tool.serve(call, part, now),
  });
  const { cursor } = value;
  // The cursor of a log is a place in it, and belongs to no query.
  const isOfQuery = typeof cursor === 'string' && page.canLookAhead !== null;
  const shown = isOfQuery ? { ...value, cursor: withCursorTime(cursor, asked, now) } : value;
  return { response, value: { ...shown, ...withoutEmpty({ hint: await hintFor(bodyOf(response)) }) } };
};

export const callTool = async (tool: Tool, call: EndpointCall, given: Members): Promise<ToolCallResult> => {
  try {
    const { response, value } = await serveTool(tool, call, given);
    return {
      result: {
        ...toResult(value, false),
        ...(isRepeated(response) ? { _meta: { 'idempotent-replayed': true } } : {}),
      },
      items: response.items ?? false,
    };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const hint = await conflictHint(call, error);
    const said = withMissingArgument(withArgumentPaths(error, tool, given), tool.root, given);
    return { result: toToolError(said, hint), items: false };
  }
};
