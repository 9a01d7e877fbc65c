/** Parses a text frame of an app as a JSON-RPC message. Called by session.ts for each frame. */
import { linkLimits, rpcCodes, type RpcError } from '../../shared/app/link/protocol.ts';
import type { FaultDetail } from '../../shared/catalogue/errors.ts';
import { inspectJsonText, isObject } from '../../shared/platform/json/jsonLimits.ts';

type RpcId = number | string;

export type AppFrame =
  /** `id` is null for a notification, which is not answered; `problem` names the limit that the message exceeds. */
  | {
      readonly kind: 'request';
      readonly id: RpcId | null;
      readonly method: string;
      readonly params: unknown;
      /** How many members the text has inside of `params`. */
      readonly names: number;
      /** Characters of the text. */
      readonly length: number;
      readonly problem?: FaultDetail;
    }
  | { readonly kind: 'answer'; readonly id: number; readonly message: unknown }
  /** An error of the app about a frame that it could not read. */
  | { readonly kind: 'complaint' }
  | { readonly kind: 'bad'; readonly error: RpcError };

const idMax = 200;
const methodMax = 100;

const badFrame = (code: number, message: string): AppFrame => ({ kind: 'bad', error: { code, message } });

const isId = (id: unknown): id is RpcId =>
  Number.isSafeInteger(id) || (typeof id === 'string' && id.length <= idMax && id.isWellFormed());

/** The beginning of a message as most programs write it, which has its id and kind without parsing the message. */
const head = /^\{"jsonrpc":"2\.0","id":(\d{1,15}),"(method|result|error)":/;

const unreadFrame = (text: string, problem: FaultDetail): AppFrame => {
  const [, id, member] = head.exec(text.slice(0, 100)) ?? [];
  if (id === undefined) return badFrame(rpcCodes.invalidRequest, `The message ${problem.message}.`);
  return member === 'method'
    ? { kind: 'request', id: Number(id), method: '', params: null, names: 0, length: 0, problem }
    : { kind: 'answer', id: Number(id), message: null };
};

const parseRequest = (message: Record<string, unknown>, names: number, length: number): AppFrame => {
  const { jsonrpc, id, method, params = {} } = message;
  if (jsonrpc !== '2.0' || typeof method !== 'string' || method.length > methodMax)
    return badFrame(rpcCodes.invalidRequest, 'This is not a JSON-RPC 2.0 request.');
  if ('id' in message && !isId(id)) return badFrame(rpcCodes.invalidRequest, 'An id is a number or a string.');
  const inside = names - Object.keys(message).length;
  return { kind: 'request', id: isId(id) ? id : null, method, params, names: inside, length };
};

export const parseFrame = (text: string): AppFrame => {
  const { problem, names } = inspectJsonText(text, linkLimits.frameMembers);
  if (problem !== null) return unreadFrame(text, problem);
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return badFrame(rpcCodes.parseError, 'This is not valid JSON.');
  }
  if (!isObject(message))
    return badFrame(
      rpcCodes.invalidRequest,
      Array.isArray(message)
        ? 'Batches are not taken; send one message a frame.'
        : 'This is not a JSON-RPC 2.0 message.',
    );
  if ('method' in message) return parseRequest(message, names, text.length);
  const { id } = message;
  if (typeof id === 'number' && Number.isSafeInteger(id)) return { kind: 'answer', id, message };
  return id === null && 'error' in message
    ? { kind: 'complaint' }
    : badFrame(rpcCodes.invalidRequest, 'This is neither a request nor an answer.');
};
