/** Answers one message of the Model Context Protocol, as the revision that it speaks wants it. */
import { fault, Fault } from '../../shared/catalogue/errors.ts';
import { isObject } from '../../shared/platform/core/guard.ts';
import { compile } from '../../shared/platform/core/validate.ts';
import type { Call } from '../endpoint.ts';
import type { Answer } from '../answer.ts';
import { isSameOrigin } from '../middleware/cookies.ts';
import { methods, serverInfo } from './methods.ts';
import { errorAnswer, messageSchema, resultText, rpcCodes, RpcFailure, statelessVersion, type Id, type Message, type Result } from './protocol.ts';
import { revisionOf } from './revision.ts';

const checkMessage = compile(messageSchema);
const notification = 'notifications/';

const invalidRequest = (message: string, data?: unknown): RpcFailure => new RpcFailure({ code: rpcCodes.invalidRequest, message, ...(data === undefined ? {} : { data }) }, 400);

const messageOf = (body: unknown): Message => {
  try {
    return checkMessage(body);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw invalidRequest(error.message, { code: error.code, details: error.extra.details });
  }
};

const idOf = (body: unknown): Id | undefined => {
  const id = isObject(body) ? body['id'] : undefined;
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as Id) : undefined;
};

/** With what every result of the stateless revision says. */
const stateless = (result: Result, keepMs: number | null): Result => ({
  ...result,
  resultType: '"complete"',
  ...(keepMs === null ? {} : { ttlMs: String(keepMs), cacheScope: '"private"' }),
  _meta: `${result['_meta']?.slice(0, -1).concat(',') ?? '{'}"io.modelcontextprotocol/serverInfo":${serverInfo}}`,
});

const request = async (call: Call, message: Message, id: Id): Promise<Answer> => {
  const isStateless = revisionOf(call.from, message) === statelessVersion;
  const method = methods.get(message.method);
  if (method === undefined || !(isStateless ? method.stateless : method.handshake)) {
    throw new RpcFailure({ code: rpcCodes.methodNotFound, message: 'There is no such method.' }, isStateless ? 404 : 200);
  }
  const { result, items } = await method.answer(call, (message.params ?? {}) as Readonly<Record<string, unknown>>);
  return { status: 200, body: resultText(id, isStateless ? stateless(result, method.keepMs) : result), items };
};

/** Throws `403` for a page of somebody else, which a browser would send along with who knows whose rights. */
const requireOwnPage = ({ from, deps: { config } }: Call): void => {
  if (from.headers.origin !== undefined && !isSameOrigin(from, config)) throw fault('forbidden', 'The request comes from another site.');
};

export const answerMessage = async (call: Call): Promise<Answer> => {
  requireOwnPage(call);
  try {
    const message = messageOf(call.body);
    const { id, method } = message;
    if (id !== undefined) return await request(call, message, id);
    if (!method.startsWith(notification)) throw invalidRequest('A request needs an id.');
    // There is none that anything follows from.
    return { status: 202, body: undefined };
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error;
    return errorAnswer(error, idOf(call.body));
  }
};

/** Headers that no message has anything to do with. */
const ofHeaders = new Set(['idempotency-key', 'if-match']);

/** A body in which there is no message, told in the protocol's words as well as ours. */
export const unreadable = (failure: Fault): Fault => {
  const { code, message, extra } = failure;
  const isHeader = (extra.details ?? []).some(({ path }) => ofHeaders.has(path));
  if (code !== 'bad_json' && (code !== 'invalid' || isHeader)) return failure;
  const error = { code: code === 'bad_json' ? rpcCodes.parseError : rpcCodes.invalidRequest, message };
  return fault(code, message, { ...extra, body: { jsonrpc: '2.0', id: null, error } });
};
