/** The Model Context Protocol (Streamable HTTP, stateless): the same endpoints as tools, one more for each action. */
import { answerMessage, unreadable } from './answer.ts';
import { messageSchema, refusedAnswer, resultAnswer } from './protocol.ts';
import { write, type Endpoint } from '../endpoint.ts';

const message = write<unknown>({
  path: '/mcp',
  name: 'mcp',
  summary: 'A message of the Model Context Protocol: tools for what your role may do',
  tag: 'Agents’ tools',
  // A key of the tool’s own is among its arguments, as a message is more than the change that it asks for.
  once: false,
  body: messageSchema,
  responses: { 200: resultAnswer, 202: null, 400: refusedAnswer, 404: refusedAnswer },
  example: { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
  // The endpoints that tools call audit what they refuse.
  audit: null,
  failed: unreadable,
  check: (body) => body,
  handle: answerMessage,
});

export const mcpEndpoints: readonly Endpoint[] = [message];
