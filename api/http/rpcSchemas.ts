/** Schemas of JSON-RPC 2.0 that several answers have. Used by mcp/endpoint.ts and the documents. */
import { responseObject, Type } from '../../shared/platform/json/schema.ts';

export const messageIdSchema = Type.Union([Type.String(), Type.Integer()], {
  description: 'Answered with the result; a message without one is a notification.',
});

export const rpcErrorSchema = responseObject(
  {
    code: Type.Integer({ description: 'The code of JSON-RPC.' }),
    message: Type.String({ description: 'A sentence.' }),
  },
  { description: 'Why the message was refused.' },
);
