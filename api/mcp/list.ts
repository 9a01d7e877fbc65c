/** The tools that a caller's role can use, in a stable order. Used by methods.ts. */
import type { Caller } from '../../shared/access/principal.ts';
import { Fault } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { actionPrefix, findActionTool, listActionTools } from './actions.ts';
import { mcpErrorCodes, McpFailure, type McpResult } from './protocol.ts';
import type { Tool } from './tool.ts';
import { itemTools } from './tools/items.ts';
import { workTools } from './tools/work.ts';

const fixedTools: readonly Tool[] = [...itemTools, ...workTools];
const fixedByName = new Map(fixedTools.map((tool) => [tool.name, tool]));

const cursorScope = ({ principal }: Caller): string => `tools:${principal.access.key}`;

/** Returns the number of tools before the page of a cursor. */
const parseToolCursor = (caller: Caller, cursor: string | undefined): number => {
  try {
    return Number(caller.env.seal.openCursor(cursorScope(caller), cursor)?.[0] ?? 0);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new McpFailure({ code: mcpErrorCodes.invalidParams, message: error.message, data: { code: error.code } });
  }
};

/** Returns a page of tools. Throws for a cursor of another list. */
export const listTools = (caller: Caller, cursor: string | undefined): McpResult => {
  const listed = [...fixedTools, ...listActionTools(caller)].filter((tool) => tool.isListed(caller));
  const from = parseToolCursor(caller, cursor);
  const to = from + limits.toolsPage;
  return {
    tools: `[${listed
      .slice(from, to)
      .map(({ text }) => text)
      .join(',')}]`,
    ...(to < listed.length ? { nextCursor: JSON.stringify(caller.env.seal.cursor(cursorScope(caller), [to])) } : {}),
  };
};

/** Returns the tool of that name if the caller may know of it; its endpoint refuses what the caller may not do. */
export const findTool = (caller: Caller, name: string): Tool | undefined =>
  fixedByName.get(name) ?? findActionTool(caller, name);

/** Returns the action that a tool's name names, whether or not it exists, for the audit log. */
export const actionOfToolName = (name: string): string | null =>
  name.startsWith(actionPrefix) ? name.slice(actionPrefix.length) : null;
