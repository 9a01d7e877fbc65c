/**
 * One message of the Model Context Protocol and its answer, by the protocol's official library. Used by endpoint.ts.
 * There is no session: every message gets a server of its own, which knows the caller.
 */
import type { Server } from '@modelcontextprotocol/server';
import { isObject } from '../../shared/platform/json/jsonLimits.ts';
import type { EndpointCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { createServer, type Library, type MessageOutcome } from './server.ts';
import type { ToolsQuery } from './toolsets.ts';

/** Loads the library with the first message: it takes longer to load than the rest of the API together, and not everybody uses it. */
const library = (): Promise<Library> => import('@modelcontextprotocol/server');

/** Returns the request for the library: the headers of the protocol, and what every answer is: JSON. */
const toRequest = ({ from }: EndpointCall): Request => {
  const headers = new Headers({
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  });
  for (const [name, value] of Object.entries(from.headers))
    if (name.startsWith('mcp-') && value !== undefined) headers.set(name, String(value));
  return new Request('http://localhost/mcp', { method: 'POST', headers });
};

/** Serves a message of the revisions that begin with `initialize`. */
const serveHandshake = async (
  { WebStandardStreamableHTTPServerTransport }: Library,
  server: Server,
  request: Request,
  body: unknown,
): Promise<Response> => {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: body });
  } finally {
    await server.close();
  }
};

/** The stream of the stateless revision: nobody would send its notifications here. */
const isSubscription = (body: unknown): boolean => isObject(body) && body['method'] === 'subscriptions/listen';

const noSuchMethod = (sdk: Library, body: unknown): Response =>
  Response.json(
    {
      jsonrpc: '2.0',
      id: isObject(body) ? body['id'] : null,
      error: { code: sdk.ProtocolErrorCode.MethodNotFound, message: 'Method not found' },
    },
    { status: 404 },
  );

const serve = async (sdk: Library, call: EndpointCall<ToolsQuery>, server: Server): Promise<Response> => {
  const { body } = call;
  const request = toRequest(call);
  if (await sdk.isLegacyRequest(request, body)) return serveHandshake(sdk, server, request, body);
  if (isSubscription(body)) return noSuchMethod(sdk, body);
  return sdk.createMcpHandler(() => server, { legacy: 'reject' }).fetch(request, { parsedBody: body });
};

/** Returns the library's own refusal of a message with our code in its `data`, where all other errors have one. */
const withCode = (text: string, status: number): string => {
  const body: unknown = JSON.parse(text);
  if (!isObject(body) || !isObject(body['error'])) return text;
  const { data } = body['error'];
  const code = status === 404 ? 'not_found' : 'invalid';
  return JSON.stringify({ ...body, error: { ...body['error'], data: { code, ...(isObject(data) ? data : {}) } } });
};

/** Returns the answer to the message that the call brings. Throws what a handler threw that is no error of the protocol. */
export const answerMessage = async (call: EndpointCall<ToolsQuery>): Promise<ApiResponse> => {
  const sdk = await library();
  const outcome: MessageOutcome = { failure: undefined, items: false };
  const response = await serve(sdk, call, createServer(sdk, call, outcome));
  if (outcome.failure !== undefined) throw outcome.failure;
  const text = await response.text();
  if (response.status >= 500) throw new Error(`The library of the protocol answered ${String(response.status)}.`);
  const isRefusal = response.status >= 400 && response.headers.get('content-type')?.includes('json') === true;
  const body = isRefusal ? withCode(text, response.status) : text;
  return { status: response.status, body: body === '' ? undefined : body, items: outcome.items };
};
