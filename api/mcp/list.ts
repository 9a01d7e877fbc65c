/** The tools that a caller's role can use, in a stable order. Used by server.ts. */
import type { Caller } from '../../shared/access/principal.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { actionPrefix, findActionTool, listActionTools } from './actions.ts';
import type { Tool } from './tool.ts';
import { toolsetNames, toolsOf, type ToolsetName } from './toolsets.ts';

const fixedByName = new Map(toolsOf(toolsetNames).map((tool) => [tool.name, tool]));

interface ListedTools {
  readonly sets: readonly ToolsetName[];
  /** Whether they answer texts alone, so that they have no schema of their answers. */
  readonly isText: boolean;
}

/** Returns the tools of these sets that the caller's role can use. */
const usableTools = (caller: Caller, sets: readonly ToolsetName[]): Tool[] =>
  [...toolsOf(sets), ...(sets.includes('actions') ? listActionTools(caller) : [])].filter((tool) =>
    tool.isListed(caller),
  );

/** Returns a page of the tools of these sets. Throws `bad_cursor` for a cursor of another list. */
export const listTools = (
  caller: Caller,
  { sets, isText }: ListedTools,
  cursor: string | undefined,
): { readonly tools: readonly object[]; readonly nextCursor?: string } => {
  const listed = usableTools(caller, sets);
  const scope = `tools:${sets.join(',')}:${caller.principal.access.key}`;
  const { seal } = caller.env;
  const from = Number(seal.openCursor(scope, cursor)?.[0] ?? 0);
  const to = from + limits.toolsPage;
  const shown = ({ entry: { outputSchema, ...entry } }: Tool): object => (isText ? entry : { ...entry, outputSchema });
  return {
    tools: listed.slice(from, to).map(shown),
    ...(to < listed.length ? { nextCursor: seal.cursor(scope, [to]) } : {}),
  };
};

/** Returns the names of all tools that the caller's role can use. */
export const listedNames = (caller: Caller): string[] => usableTools(caller, toolsetNames).map(({ name }) => name);

/** Returns the tool of that name if the caller may know of it; its endpoint refuses what the caller may not do. */
export const findTool = (caller: Caller, name: string): Tool | undefined =>
  fixedByName.get(name) ?? findActionTool(caller, name);

/** Returns the action that a tool's name names, whether or not it exists, for the audit log. */
export const actionOfToolName = (name: string): string | null =>
  name.startsWith(actionPrefix) ? name.slice(actionPrefix.length) : null;
