/** Tools of the Model Context Protocol called as bare messages, for tests that compare their answers with those of HTTP. */
import { noCaller } from '../../api/mcp/rights.ts';
import { toolsetNames, toolsOf } from '../../api/mcp/toolsets.ts';
import type { Client, Reply } from './http.ts';

export interface ToolReply {
  /** As the same request over HTTP has it, but that all that is well is 200. */
  readonly status: number;
  /** What the endpoint answered; of a tool that isn't there, the protocol's error. */
  readonly body: Reply['body'];
  readonly reply: Reply;
}

export const rpc = (client: Client, method: string, params?: object): Promise<Reply> =>
  client.post('/mcp', { jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) });

export const callTool = async (client: Client, name: string, given: object = {}): Promise<ToolReply> => {
  const reply = await rpc(client, 'tools/call', { name, arguments: given });
  if (reply.status !== 200) return { status: reply.status, body: reply.body, reply };
  const { result, error } = reply.body as {
    result?: { isError: boolean; content: { text: string }[] };
    error?: unknown;
  };
  if (result === undefined) return { status: 404, body: error, reply };
  const body = JSON.parse(result.content[0]?.text ?? '') as Reply['body'];
  return { status: result.isError ? Number(body.status ?? 0) : 200, body, reply };
};

export interface ListedTool {
  readonly name: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations: { readonly readOnlyHint: boolean };
}

/** All of them, page by page. */
export const listTools = async (client: Client): Promise<ListedTool[]> => {
  const tools: ListedTool[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const { result } = (await rpc(client, 'tools/list', cursor === '' ? {} : { cursor })).body as {
      result: { tools: ListedTool[]; nextCursor?: string };
    };
    tools.push(...result.tools);
    cursor = result.nextCursor;
  }
  return tools;
};

/** Those that a client finds in the list, and those that can be called without standing in anybody's. */
export const callableTools = async (client: Client): Promise<ListedTool[]> => [
  ...(await listTools(client)),
  ...toolsOf(toolsetNames)
    .filter(({ isListed }) => isListed === noCaller)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the entry is what the list shows
    .map(({ entry }) => entry as ListedTool),
];
