/**
 * The messages of the Model Context Protocol: JSON-RPC 2.0, the revisions, and the HTTP responses to messages.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic
 */
import { responseObject, strictObject, Type, type Static } from '../../shared/platform/core/schema.ts';
import type { ApiResponse } from '../http/apiResponse.ts';

/** The revision in which each request names its revision. */
export const statelessVersion = '2026-07-28';
/** The earlier revisions, which begin with `initialize`, newest first. */
export const handshakeVersions: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26'];
export const protocolVersions: readonly string[] = [statelessVersion, ...handshakeVersions];

/** The error codes of JSON-RPC, and two of the protocol's own. */
export const mcpErrorCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

const messageIdSchema = Type.Union([Type.String({ maxLength: 1_000 }), Type.Integer()], {
  description: 'Answered with the result; a message without one is a notification.',
});

export const messageSchema = strictObject({
  jsonrpc: Type.Literal('2.0', { description: 'The version of JSON-RPC.' }),
  id: Type.Optional(messageIdSchema),
  method: Type.String({ description: 'initialize, server/discover, ping, tools/list, tools/call, or a notification.' }),
  params: Type.Optional(Type.Object({}, { description: 'What the method takes.' })),
});
export type McpMessage = Static<typeof messageSchema>;
export type McpId = Static<typeof messageIdSchema>;

const errorMembers = responseObject({ code: Type.Integer(), message: Type.String() });
export const mcpResultResponse = Type.Union([
  responseObject({ jsonrpc: Type.Literal('2.0'), id: messageIdSchema, result: Type.Object({}) }),
  responseObject({ jsonrpc: Type.Literal('2.0'), id: messageIdSchema, error: errorMembers }),
]);
/** The body for a message that can't be read, or for a request that is refused before its message is read. */
export const mcpRefusedResponse = Type.Union([
  Type.Object({ jsonrpc: Type.Literal('2.0'), error: errorMembers }),
  responseObject({ error: Type.String({ description: 'A sentence for a person.' }), code: Type.String() }),
]);

interface McpError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** An error of a message, which is answered as a JSON-RPC error. */
export class McpFailure extends Error {
  declare readonly error: McpError;
  /** The HTTP status; 200 where the message was understood. */
  declare readonly status: number;

  constructor(error: McpError, status = 200) {
    super(error.message);
    this.error = error;
    this.status = status;
  }
}

/** Returns the response to a failure; `id` is undefined when the message had none that could be read. */
export const toMcpErrorResponse = ({ error, status }: McpFailure, id: McpId | undefined): ApiResponse => ({
  status,
  body: { jsonrpc: '2.0', id: id ?? null, error },
});

/** The members of a result, each as JSON text, so that bodies of endpoints are not parsed and serialised again. */
export type McpResult = Readonly<Record<string, string>>;

export const mcpResultText = (id: McpId, result: McpResult): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${Object.entries(result)
    .map(([name, text]) => `"${name}":${text}`)
    .join(',')}}}`;
