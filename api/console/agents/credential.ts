/** The credential of an agent: token, address, a curl line and an MCP configuration. Used by useAgentChanges. */
import type { Agent } from '../wire/types.ts';

export interface MadeAgent {
  readonly agent: Agent;
  /** null: it was shown before. */
  readonly token: string | null;
  readonly baseUrl: string;
}

export const credentialParts = ({ token, baseUrl }: MadeAgent): readonly (readonly [string, string])[] => {
  const held = token ?? '(shown before)';
  const headers = { Authorization: `Bearer ${held}` };
  const mcp = { mcpServers: { console: { type: 'http', url: `${baseUrl}/mcp`, headers } } };
  return [
    ['Token', held],
    ['API address', baseUrl],
    ['Try it', `curl -s -H 'authorization: Bearer ${held}' '${baseUrl}/me'`],
    ['Model Context Protocol', JSON.stringify(mcp, null, 2)],
  ];
};
