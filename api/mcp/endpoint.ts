/** The Model Context Protocol (Streamable HTTP, stateless): the same endpoints as tools, one more for each action. */
import { fault, type Fault, type FaultDetail } from '../../shared/catalogue/errors.ts';
import { countKeys, isObject, jsonProblem, textProblem } from '../../shared/platform/json/jsonLimits.ts';
import { responseObject, strictObject, Type } from '../../shared/platform/json/schema.ts';
import { invalidFault } from '../../shared/platform/json/validate.ts';
import { writeEndpoint, type Endpoint, type EndpointCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { requireOwnPage } from '../http/cookies.ts';
import { messageIdSchema, rpcErrorSchema } from '../http/rpcSchemas.ts';
import { answerMessage } from './exchange.ts';
import { inOneForm, toToolError } from './result.ts';
import { toolsQuery, type ToolsQuery } from './toolsets.ts';

/** The error codes of JSON-RPC that are answered before the library reads a message. */
const mcpErrorCodes = { parseError: -32700, invalidRequest: -32600 } as const;

const messageSchema = strictObject({
  jsonrpc: Type.Literal('2.0', { description: 'The version of JSON-RPC.' }),
  id: Type.Optional(messageIdSchema),
  method: Type.String({
    description: 'Such as tools/list or tools/call.',
  }),
  params: Type.Optional(Type.Object({}, { description: 'What the method takes.' })),
});

const mcpResultResponse = Type.Union([
  responseObject({
    jsonrpc: Type.Literal('2.0'),
    id: messageIdSchema,
    result: Type.Object({}, { description: 'What the method answers.' }),
  }),
  responseObject({ jsonrpc: Type.Literal('2.0'), id: messageIdSchema, error: rpcErrorSchema }),
]);
/** The body for a message that can't be read, or for a request that is refused before its message is read. */
const mcpRefusedResponse = Type.Union([
  Type.Object({ jsonrpc: Type.Literal('2.0'), error: rpcErrorSchema }),
  responseObject({
    error: Type.String({ description: 'A sentence for people.' }),
    code: Type.String({ description: 'The error code.' }),
  }),
]);

/** Members of all objects of a message: many more than a tool takes, and few enough to be looked through at once. */
const membersMax = 11_000;

/** Throws `400 invalid` for what is no message, for one that would block the process, and for several: each is limited and audited as a request. */
const requireMessage = (body: unknown): unknown => {
  if (!isObject(body)) throw invalidFault([{ path: '', message: 'must be one message of JSON-RPC, an object' }]);
  if (countKeys(body, membersMax) > membersMax)
    throw withMcpError(
      invalidFault([{ path: '', message: `has more than ${String(membersMax)} members` }]),
      idOf(body),
    );
  return body;
};

/** Headers whose faults are not faults of the message. */
const headerPaths = new Set(['idempotency-key', 'if-match']);

/** Returns the fault with the JSON-RPC error that answers the message `id`; null: of no message. */
const withMcpError = ({ code, message, extra }: Fault, id: string | number | null): Fault => {
  const error = { code: code === 'bad_json' ? mcpErrorCodes.parseError : mcpErrorCodes.invalidRequest, message };
  return fault(code, message, { ...extra, body: { jsonrpc: '2.0', id, error } });
};

/** Adds the JSON-RPC error to the fault of a body that is no message. */
const toMcpFault = (failure: Fault): Fault => {
  const { code, extra } = failure;
  // The fault of a message with an id has its JSON-RPC error already.
  if (extra.body !== undefined) return failure;
  const isHeader = (extra.details ?? []).some(({ path }) => headerPaths.has(path));
  return code === 'bad_json' || (code === 'invalid' && !isHeader) ? withMcpError(failure, null) : failure;
};

/** Returns the id of a message; null when it has none, or one that can't be sent back. */
const idOf = (body: unknown): string | number | null => {
  const id = isObject(body) ? body['id'] : null;
  return typeof id === 'number' || (typeof id === 'string' && textProblem(id) === null) ? id : null;
};

/** Where the arguments of a tool's call stand in its message. */
const argumentsPath = 'params.arguments.';

/** Returns the tool's error for an argument that can't be stored. Throws `invalid`, with the message's id, for such a value elsewhere. */
const refuseValue = ({ body, query }: EndpointCall<ToolsQuery>, { path, message }: FaultDetail): ApiResponse => {
  const id = idOf(body);
  if (id !== null && path.startsWith(argumentsPath)) {
    const refused = toToolError(invalidFault([{ path: path.slice(argumentsPath.length), message }]));
    return { status: 200, body: { jsonrpc: '2.0', id, result: inOneForm(refused, query.answers) } };
  }
  throw withMcpError(invalidFault([{ path, message }]), id);
};

const handle = async (call: EndpointCall<ToolsQuery>): Promise<ApiResponse> => {
  const { from, deps } = call;
  // A browser would send the request of another site's page with the rights of its user.
  if (from.headers.origin !== undefined) requireOwnPage(from, deps.config);
  const problem = jsonProblem(call.body);
  return problem === null ? answerMessage(call) : refuseValue(call, problem);
};

const message = writeEndpoint({
  path: '/mcp',
  reads: false,
  name: 'mcp',
  summary: 'A message of the Model Context Protocol: tools for what your role may do',
  tag: 'Agents’ tools',
  // A tool takes its idempotency key as an argument, because a message is more than one change.
  idempotencyKey: 'refused',
  takesMessage: true,
  query: toolsQuery,
  body: messageSchema,
  responses: { 200: mcpResultResponse, 202: null, 400: mcpRefusedResponse, 404: mcpRefusedResponse },
  example: { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
  // The endpoints that tools call audit what they refuse.
  audit: null,
  mapFault: toMcpFault,
  check: requireMessage,
  handle,
});

export const mcpEndpoints: readonly Endpoint[] = [message];
