/** The Model Context Protocol (Streamable HTTP, stateless): the same endpoints as tools, one more for each action. */
import { writeEndpoint, type Endpoint } from '../endpoint.ts';
import { handleMcpMessage, toMcpFault } from './handleMessage.ts';
import { mcpRefusedResponse, mcpResultResponse, messageSchema } from './protocol.ts';

const message = writeEndpoint<unknown>({
  path: '/mcp',
  name: 'mcp',
  summary: 'A message of the Model Context Protocol: tools for what your role may do',
  tag: 'Agents’ tools',
  // A tool takes its idempotency key as an argument, because a message is more than one change.
  acceptsIdempotencyKey: false,
  body: messageSchema,
  responses: { 200: mcpResultResponse, 202: null, 400: mcpRefusedResponse, 404: mcpRefusedResponse },
  example: { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
  // The endpoints that tools call audit what they refuse.
  audit: null,
  mapFault: toMcpFault,
  check: (body) => body,
  handle: handleMcpMessage,
});

export const mcpEndpoints: readonly Endpoint[] = [message];
