/** The result of a tool's call: the endpoint's body in the form that was asked for, or its fault. Used by server.ts. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { errors, Fault, invalidAt } from '../../shared/catalogue/errors.ts';
import { invalidFault } from '../../shared/platform/json/validate.ts';
import type { EndpointCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { toFaultResponse } from '../http/response.ts';
import { assignablePeople } from '../routes/people.ts';
import { type Members, objectsIn, withoutEmpty } from './answers/members.ts';
import { bodyOf, servePage } from './answers/page.ts';
import { presentBody, type Detail } from './answers/present.ts';
import { toObject } from './arguments/coerce.ts';
import { parseTime } from './arguments/times.ts';
import {
  approvedHint,
  assigneeHint,
  bulkHint,
  conflictHint,
  emptyHint,
  missingHint,
  nextStepHint,
  repeatedAnswer,
  repeatHint,
  warningHint,
} from './hints.ts';
import { withMissingArgument } from './missing.ts';
import { searchHint } from './searchHints.ts';
import type { Tool } from './tool.ts';
import type { ToolsQuery } from './toolsets.ts';

/**
 * A cursor of the endpoint, and the time in ms since 1970, base 36. A cursor belongs to its query, and "7d" is another time in each
 * call, so the cursor of a tool carries the time of the first page, from which the durations of the list count.
 */
const form = /^(.+)~([0-9a-z]{1,9})$/s;

interface CursorTime {
  /** The arguments with the cursor as the endpoint gave it. */
  readonly given: Members;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
}

/** Returns the arguments of a call and the time from which its durations count: that of the first page, by default `now`. */
const readCursorTime = (given: Members, now: number): CursorTime => {
  const [, cursor, time = ''] = (typeof given['cursor'] === 'string' ? form.exec(given['cursor']) : null) ?? [];
  return cursor === undefined ? { given, now } : { given: { ...given, cursor }, now: Number.parseInt(time, 36) };
};

/** Returns whether a value has a text that names another time in each call. */
const isRelative = (given: unknown): boolean => {
  const value = toObject(given);
  if (typeof value === 'object' && value !== null) return Object.values(value).some(isRelative);
  if (typeof value !== 'string') return false;
  const [one, other] = [parseTime(value, 0, true), parseTime(value, 1, true)];
  return 'at' in one && 'at' in other && one.at !== other.at;
};

/** Returns a cursor as the tool answers it: with the time where the arguments depend on it. */
const withCursorTime = (cursor: string, given: Members, now: number): string =>
  isRelative(given) ? `${cursor}~${now.toString(36)}` : cursor;

/** Signs that are not seen and that no emoji or word needs, and those that turn the direction of writing. */
const unseen = /[\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\udb40[\udc00-\udc7f]/g;

/** Returns JSON in which such signs are escapes, so that models read them. */
const legibleJson = (value: Members): string =>
  JSON.stringify(value).replace(unseen, (signs) =>
    signs
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );

const toResult = (value: Members, isError: boolean): CallToolResult => ({
  content: [{ type: 'text', text: legibleJson(value) }],
  structuredContent: value,
  isError,
});

/** Returns the result in one form: as text, which every client gives its model, or as `structuredContent` for programs that ask for it. */
export const inOneForm = (
  { content, structuredContent, ...rest }: CallToolResult,
  answers: ToolsQuery['answers'],
): CallToolResult =>
  answers === 'structured'
    ? { content: [], ...(structuredContent === undefined ? {} : { structuredContent }), ...rest }
    : { content, ...rest };

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
  // The message of `invalid` is that of the first detail.
  const isTwice = failure.code === 'invalid' && failure.extra.details !== undefined;
  const error = isTwice ? { error: errors.invalid.message } : {};
  const { value } = presentBody({ ...(typeof body === 'object' ? body : {}), ...error, status });
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

/** Returns an answer without the warnings that every change gets of an agent that claims nothing and says nothing of what it has read. */
const withoutUsualWarnings = (body: Members, { seen }: Members): Members => {
  const { warnings } = body;
  if (!Array.isArray(warnings)) return body;
  const usual = ['claim_required', ...(seen === undefined ? ['unseen'] : [])];
  return { ...body, warnings: objectsIn(warnings).filter(({ code }) => !usual.some((one) => one === code)) };
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
      : (warningHint(body) ?? (await bulkHint(call, asked, body)));
  if (page === null) {
    const response = await tool.serve(call, asked, now);
    const body = withoutUsualWarnings(bodyOf(response), asked);
    const said = {
      next: await nextOf(call, response, { body, since }),
      hint: (await hintFor(body)) ?? missingHint(asked, body) ?? assigneeHint(call, asked, body),
    };
    // `next` or `hint` say them.
    const { warnings: _, ...unwarned } = body;
    return { response, value: { ...presentBody(unwarned, form).value, ...withoutEmpty(said) } };
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
    const said = await withMissingArgument(call, withArgumentPaths(error, tool, given), tool, given);
    return { result: toToolError(said, hint), items: false };
  }
};
