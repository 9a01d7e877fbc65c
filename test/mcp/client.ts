/** The official client of the protocol, connected with the token of a client of ours. */
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Client } from '../support/http.ts';

/** Which handshake it makes: that of the revision without one, or `initialize`. */
export type Era = 'stateless' | 'handshake';
export const eras: readonly Era[] = ['stateless', 'handshake'];

export interface ToolDefinition {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>> & {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
  };
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

export interface Outcome {
  readonly isError: boolean;
  // Bodies are read by tests that state what they expect of them.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
  readonly texts: readonly string[];
  readonly meta: Readonly<Record<string, unknown>>;
}

export interface Tools {
  readonly client: McpClient;
  list(): Promise<readonly ToolDefinition[]>;
  names(): Promise<string[]>;
  /** Calls a tool; throws what the protocol itself refuses. */
  call(name: string, given?: Readonly<Record<string, unknown>>): Promise<Outcome>;
  close(): Promise<void>;
}

export const connectTools = async (
  { base, token }: Pick<Client, 'base' | 'token'>,
  era: Era = 'stateless',
  // Both forms of answers are read by tests that know of neither.
  answers: 'text' | 'structured' = era === 'stateless' ? 'structured' : 'text',
): Promise<Tools> => {
  const client = new McpClient(
    { name: 'tests', version: '1.0.0' },
    { versionNegotiation: { mode: era === 'stateless' ? { pin: '2026-07-28' } : 'legacy' } },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${base}/mcp?answers=${answers}`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  const list = async (): Promise<readonly ToolDefinition[]> =>
    (await client.listTools()).tools as readonly ToolDefinition[];
  return {
    client,
    list,
    names: async () => (await list()).map(({ name }) => name),
    call: async (name, given = {}) => {
      const { isError, structuredContent, content, _meta } = await client.callTool({ name, arguments: given });
      const texts = content.map((block) => (block.type === 'text' ? block.text : ''));
      const body: unknown = answers === 'text' ? JSON.parse(texts[0] ?? '') : structuredContent;
      return { isError: isError ?? false, body, texts, meta: _meta ?? {} };
    },
    close: () => client.close(),
  };
};
