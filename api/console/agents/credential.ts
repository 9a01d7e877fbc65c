/** The credential of an agent: token, address, a curl line and an MCP configuration. Used by useAgentChanges. */
import type { Agent } from '../wire/types.ts';
import { agentTexts } from './texts.tsx';

const texts = agentTexts.credential;

export interface MadeAgent {
  readonly agent: Agent;
  /** null: it was shown before. */
  readonly token: string | null;
  readonly baseUrl: string;
}

export const credentialParts = ({ token, baseUrl }: MadeAgent): readonly (readonly [string, string])[] => {
  const held = token ?? texts.shownBefore;
  const headers = { Authorization: `Bearer ${held}` };
  const mcp = { mcpServers: { console: { type: 'http', url: `${baseUrl}/mcp`, headers } } };
  return [
    [texts.token, held],
    [texts.address, baseUrl],
    [texts.tryIt, `curl -s -H 'authorization: Bearer ${held}' '${baseUrl}/me'`],
    [texts.protocol, JSON.stringify(mcp, null, 2)],
  ];
};
