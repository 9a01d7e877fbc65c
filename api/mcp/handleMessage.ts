/** Handles one message of the Model Context Protocol by the rules of its revision. Used by endpoint.ts. */
import { fault, Fault } from '../../shared/catalogue/errors.ts';
import { isObject } from '../../shared/platform/core/jsonLimits.ts';
import { compileCheck } from '../../shared/platform/core/validate.ts';
import type { EndpointCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { isSameOrigin } from '../http/cookies.ts';
import { mcpMethods, serverInfo } from './methods.ts';
import {
  mcpErrorCodes,
  McpFailure,
  mcpResultText,
  messageSchema,
  statelessVersion,
  toMcpErrorResponse,
  type McpId,
  type McpMessage,
  type McpResult,
} from './protocol.ts';
import { protocolRevision } from './revision.ts';

const checkMessage = compileCheck(messageSchema);
const notification = 'notifications/';

const invalidRequest = (message: string, data?: unknown): McpFailure =>
  new McpFailure({ code: mcpErrorCodes.invalidRequest, message, ...(data === undefined ? {} : { data }) }, 400);

const parseMessage = (body: unknown): McpMessage => {
  try {
    return checkMessage(body);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw invalidRequest(error.message, { code: error.code, details: error.extra.details });
  }
};

const parseId = (body: unknown): McpId | undefined => {
  const id = isObject(body) ? body['id'] : undefined;
  return typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id)) ? id : undefined;
};

/** Returns the result with the members that every result of the stateless revision has. */
const withStatelessMembers = (result: McpResult, keepMs: number | null): McpResult => ({
  ...result,
  resultType: '"complete"',
  ...(keepMs === null ? {} : { ttlMs: String(keepMs), cacheScope: '"private"' }),
  _meta: `${result['_meta']?.slice(0, -1).concat(',') ?? '{'}"io.modelcontextprotocol/serverInfo":${serverInfo}}`,
});

const answerRequest = async (call: EndpointCall, message: McpMessage, id: McpId): Promise<ApiResponse> => {
  const isStateless = protocolRevision(call.from, message) === statelessVersion;
  const method = mcpMethods.get(message.method);
  if (method === undefined || !(isStateless ? method.stateless : method.handshake)) {
    throw new McpFailure(
      { code: mcpErrorCodes.methodNotFound, message: 'There is no such method.' },
      isStateless ? 404 : 200,
    );
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of the message has checked that it is an object
  const { result, items } = await method.answer(call, (message.params ?? {}) as Readonly<Record<string, unknown>>);
  return {
    status: 200,
    body: mcpResultText(id, isStateless ? withStatelessMembers(result, method.cacheTtlMs) : result),
    items,
  };
};

/** Throws `403 forbidden` for a page of another site, whose requests a browser would send with the rights of its user. */
const requireOwnPage = ({ from, deps: { config } }: EndpointCall): void => {
  if (from.headers.origin !== undefined && !isSameOrigin(from, config))
    throw fault('forbidden', 'The request comes from another site.');
};

export const handleMcpMessage = async (call: EndpointCall): Promise<ApiResponse> => {
  requireOwnPage(call);
  try {
    const message = parseMessage(call.body);
    const { id, method } = message;
    if (id !== undefined) return await answerRequest(call, message, id);
    if (!method.startsWith(notification)) throw invalidRequest('A request needs an id.');
    // No notification of the protocol has an effect here.
    return { status: 202, body: undefined };
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    return toMcpErrorResponse(error, parseId(call.body));
  }
};

/** Headers whose faults are not faults of the message. */
const headerPaths = new Set(['idempotency-key', 'if-match']);

/** Adds the JSON-RPC error to the fault of a body that is no message. */
export const toMcpFault = (failure: Fault): Fault => {
  const { code, message, extra } = failure;
  const isHeader = (extra.details ?? []).some(({ path }) => headerPaths.has(path));
  if (code !== 'bad_json' && (code !== 'invalid' || isHeader)) return failure;
  const error = { code: code === 'bad_json' ? mcpErrorCodes.parseError : mcpErrorCodes.invalidRequest, message };
  return fault(code, message, { ...extra, body: { jsonrpc: '2.0', id: null, error } });
};
