/** The methods of the protocol, each with the revisions that have it. */
import { recordRefusal } from '../../shared/access/denials.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import { isObject } from '../../shared/platform/core/guard.ts';
import type { Call } from '../endpoint.ts';
import { apiVersion } from '../openapi.ts';
import { actionNamedBy, listTools, toolNamed } from './list.ts';
import { handshakeVersions, rpcCodes, RpcFailure, versions, type Result } from './protocol.ts';
import { callTool, type Called } from './result.ts';

type Params = Readonly<Record<string, unknown>>;

interface Method {
  /** Of the stateless revision. */
  readonly stateless: boolean;
  /** Of the revisions that begin with `initialize`. */
  readonly handshake: boolean;
  /** How long the stateless revision's clients may keep the answer, in ms; null: it is not one to keep. */
  readonly keepMs: number | null;
  answer(call: Call, params: Params): Called | Promise<Called>;
}

export const serverInfo = JSON.stringify({ name: 'console-api', title: 'Console API', version: apiVersion });

const capabilities = '{"tools":{}}';

const instructionsIn = ({ caller: { env } }: Call): string => JSON.stringify(
  `The console of the environment ${env.name}: inboxes of items, records, actions that the company’s own app does, pages, feature flags and approvals. Begin with get_me and list_inboxes. `
  + 'What your role can’t see is not there. Times are milliseconds since 1970 UTC. An error has a code and a sentence, and details name the arguments. Give changes an idempotencyKey if you might repeat them. '
  + 'Answers with pending, queued or running are not the end: ask get_approval or get_run.',
);

const invalidParams = (message: string): RpcFailure => new RpcFailure({ code: rpcCodes.invalidParams, message });

const plain = (result: Result): Called => ({ result, items: false });

const initialize = (call: Call, { protocolVersion: asked }: Params): Called => {
  if (typeof asked !== 'string') throw invalidParams('protocolVersion must be a text.');
  const version = handshakeVersions.includes(asked) ? asked : handshakeVersions[0];
  return plain({ protocolVersion: JSON.stringify(version), capabilities, serverInfo, instructions: instructionsIn(call) });
};

/** A tool that there isn't is refused alike whether nobody has it or this caller can't see it. An action that was tried in vain is audited, as elsewhere. */
const unknownTool = async ({ deps, caller }: Call, name: string): Promise<RpcFailure> => {
  const action = actionNamedBy(name);
  const { code, message } = fault('not_found');
  if (action !== null) await recordRefusal(deps.db, caller, { verb: 'action.run', target: { type: 'action', id: action }, outcome: 'denied', code }, deps.clock.now());
  return new RpcFailure({ code: rpcCodes.invalidParams, message: 'There is no such tool.', data: { error: message, code } });
};

const call: Method['answer'] = async (request, { name, arguments: given = {} }) => {
  if (typeof name !== 'string') throw invalidParams('name must be a text.');
  if (!isObject(given)) throw invalidParams('arguments must be an object.');
  const tool = toolNamed(request.caller, name);
  if (tool === undefined) throw await unknownTool(request, name);
  return callTool(tool, request, given);
};

const list = ({ caller }: Call, { cursor }: Params): Called => {
  if (cursor !== undefined && typeof cursor !== 'string') throw invalidParams('cursor must be a text.');
  return plain(listTools(caller, cursor));
};

export const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['initialize', { stateless: false, handshake: true, keepMs: null, answer: initialize }],
  ['ping', { stateless: false, handshake: true, keepMs: null, answer: () => plain({}) }],
  ['server/discover', { stateless: true, handshake: false, keepMs: 3_600_000, answer: (request) => plain({ supportedVersions: JSON.stringify(versions), capabilities, instructions: instructionsIn(request) }) }],
  // A role or a manifest may change at any time.
  ['tools/list', { stateless: true, handshake: true, keepMs: 10_000, answer: list }],
  ['tools/call', { stateless: true, handshake: true, keepMs: null, answer: call }],
]);
