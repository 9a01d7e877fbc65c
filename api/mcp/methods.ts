/** The methods of the protocol, each with the revisions that have it. Used by handleMessage.ts. */
import { insertRefusal } from '../../shared/access/refusals.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import { isObject } from '../../shared/platform/core/jsonLimits.ts';
import type { EndpointCall } from '../endpoint.ts';
import { apiVersion } from '../openapi.ts';
import { actionOfToolName, findTool, listTools } from './list.ts';
import { handshakeVersions, mcpErrorCodes, McpFailure, protocolVersions, type McpResult } from './protocol.ts';
import { callTool, type ToolCallResult } from './result.ts';

type Params = Readonly<Record<string, unknown>>;

interface McpMethod {
  /** Whether the stateless revision has it. */
  readonly stateless: boolean;
  /** Whether the revisions with `initialize` have it. */
  readonly handshake: boolean;
  /** How long clients of the stateless revision may cache the result, in milliseconds; null: not at all. */
  readonly cacheTtlMs: number | null;
  answer(call: EndpointCall, params: Params): ToolCallResult | Promise<ToolCallResult>;
}

export const serverInfo = JSON.stringify({ name: 'console-api', title: 'Console API', version: apiVersion });

const capabilities = '{"tools":{}}';

const serverInstructions = ({ caller: { env } }: EndpointCall): string =>
  JSON.stringify(
    `The console of the environment ${env.name}: inboxes of items, records, actions that the company’s own app does, pages, feature flags and approvals. Begin with get_me and list_inboxes. ` +
      'What your role can’t see is not there. Times are milliseconds since 1970 UTC. An error has a code and a sentence, and details name the arguments. Give changes an idempotencyKey if you might repeat them. ' +
      'Answers with pending, queued or running are not the end: ask get_approval or get_run.',
  );

const invalidParams = (message: string): McpFailure => new McpFailure({ code: mcpErrorCodes.invalidParams, message });

const toCalled = (result: McpResult): ToolCallResult => ({ result, items: false });

const initialize = (call: EndpointCall, { protocolVersion: asked }: Params): ToolCallResult => {
  if (typeof asked !== 'string') throw invalidParams('protocolVersion must be a text.');
  const version = handshakeVersions.includes(asked) ? asked : handshakeVersions[0];
  return toCalled({
    protocolVersion: JSON.stringify(version),
    capabilities,
    serverInfo,
    instructions: serverInstructions(call),
  });
};

/** Refuses an unknown tool in the same way as one that the caller can't see. A refused action is audited, as over HTTP. */
const unknownTool = async ({ deps, caller }: EndpointCall, name: string): Promise<McpFailure> => {
  const action = actionOfToolName(name);
  const { code, message } = fault('not_found');
  if (action !== null)
    await insertRefusal(
      deps.db,
      caller,
      { verb: 'action.run', target: { type: 'action', id: action }, outcome: 'denied', code },
      deps.clock.now(),
    );
  return new McpFailure({
    code: mcpErrorCodes.invalidParams,
    message: 'There is no such tool.',
    data: { error: message, code },
  });
};

const call: McpMethod['answer'] = async (request, { name, arguments: given = {} }) => {
  if (typeof name !== 'string') throw invalidParams('name must be a text.');
  if (!isObject(given)) throw invalidParams('arguments must be an object.');
  const tool = findTool(request.caller, name);
  if (tool === undefined) throw await unknownTool(request, name);
  return callTool(tool, request, given);
};

const list = ({ caller }: EndpointCall, { cursor }: Params): ToolCallResult => {
  if (cursor !== undefined && typeof cursor !== 'string') throw invalidParams('cursor must be a text.');
  return toCalled(listTools(caller, cursor));
};

export const mcpMethods: ReadonlyMap<string, McpMethod> = new Map<string, McpMethod>([
  ['initialize', { stateless: false, handshake: true, cacheTtlMs: null, answer: initialize }],
  ['ping', { stateless: false, handshake: true, cacheTtlMs: null, answer: () => toCalled({}) }],
  [
    'server/discover',
    {
      stateless: true,
      handshake: false,
      cacheTtlMs: 3_600_000,
      answer: (request) =>
        toCalled({
          supportedVersions: JSON.stringify(protocolVersions),
          capabilities,
          instructions: serverInstructions(request),
        }),
    },
  ],
  // A role or a manifest may change at any time.
  ['tools/list', { stateless: true, handshake: true, cacheTtlMs: 10_000, answer: list }],
  ['tools/call', { stateless: true, handshake: true, cacheTtlMs: null, answer: call }],
]);
