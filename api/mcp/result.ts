/** The result of a tool's call: the endpoint's body as text and as structured content, or its fault. Used by methods.ts. */
import { Fault } from '../../shared/catalogue/errors.ts';
import { invalidFault } from '../../shared/platform/core/validate.ts';
import type { EndpointCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { toFaultResponse } from '../http/response.ts';
import { nextStepHint } from './nextStepHint.ts';
import type { McpResult } from './protocol.ts';
import type { Tool } from './tool.ts';

const contentText = (...texts: readonly string[]): string =>
  JSON.stringify(texts.map((text) => ({ type: 'text', text })));

const toToolResult = ({ status, body = {}, headers }: ApiResponse): McpResult => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const next = status === 202 ? nextStepHint(typeof body === 'string' ? JSON.parse(body) : body) : null;
  return {
    content: contentText(text, ...(next === null ? [] : [next])),
    structuredContent: text,
    isError: 'false',
    ...(headers?.['idempotent-replayed'] === undefined ? {} : { _meta: '{"idempotent-replayed":true}' }),
  };
};

/** Returns the fault with the paths of the tool's arguments. */
const withArgumentPaths = (failure: Fault, { argumentPath: place }: Tool): Fault => {
  const details = failure.extra.details?.map(({ path, message }) => ({ path: place(path), message }));
  if (details === undefined) return failure;
  // The message of `invalid` names the first path.
  if (failure.code === 'invalid') return invalidFault(details);
  return new Fault(failure.code, failure.message, { ...failure.extra, details });
};

const toToolError = (failure: Fault): McpResult => {
  const { status, body } = toFaultResponse(failure);
  const text = JSON.stringify({ ...(typeof body === 'object' ? body : {}), status });
  return { content: contentText(text), structuredContent: text, isError: 'true' };
};

export interface ToolCallResult {
  readonly result: McpResult;
  /** Whether the result has items, and so the offset of the live stream from before they were read. */
  readonly items: boolean;
}

export const callTool = async (
  tool: Tool,
  call: EndpointCall,
  given: Readonly<Record<string, unknown>>,
): Promise<ToolCallResult> => {
  try {
    const answer = await tool.serve(call, given);
    return { result: toToolResult(answer), items: answer.items ?? false };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { result: toToolError(withArgumentPaths(error, tool)), items: false };
  }
};
