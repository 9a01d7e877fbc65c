/** The schemas of the endpoint of the Model Context Protocol: a message of JSON-RPC 2.0 and its answers. Used by endpoint.ts and exchange.ts. */
import { responseObject, strictObject, Type } from '../../shared/platform/core/schema.ts';
import { messageIdSchema, rpcErrorSchema } from '../http/rpcSchemas.ts';

/** The error codes of JSON-RPC that are answered before the library reads a message. */
export const mcpErrorCodes = { parseError: -32700, invalidRequest: -32600 } as const;

export const messageSchema = strictObject({
  jsonrpc: Type.Literal('2.0', { description: 'The version of JSON-RPC.' }),
  id: Type.Optional(messageIdSchema),
  method: Type.String({
    description: 'Such as tools/list or tools/call.',
  }),
  params: Type.Optional(Type.Object({}, { description: 'What the method takes.' })),
});

export const mcpResultResponse = Type.Union([
  responseObject({
    jsonrpc: Type.Literal('2.0'),
    id: messageIdSchema,
    result: Type.Object({}, { description: 'What the method answers.' }),
  }),
  responseObject({ jsonrpc: Type.Literal('2.0'), id: messageIdSchema, error: rpcErrorSchema }),
]);
/** The body for a message that can't be read, or for a request that is refused before its message is read. */
export const mcpRefusedResponse = Type.Union([
  Type.Object({ jsonrpc: Type.Literal('2.0'), error: rpcErrorSchema }),
  responseObject({
    error: Type.String({ description: 'A sentence for people.' }),
    code: Type.String({ description: 'The error code.' }),
  }),
]);
