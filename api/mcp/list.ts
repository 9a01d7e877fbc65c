/** The tools of a caller: those that its role can use, in the same order each time. */
import { Fault } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import type { Caller } from '../../shared/access/principal.ts';
import { actionPrefix, actionToolNamed, actionTools } from './actions.ts';
import { rpcCodes, RpcFailure, type Result } from './protocol.ts';
import type { Tool } from './tool.ts';
import { itemTools } from './tools/items.ts';
import { workTools } from './tools/work.ts';

const fixed: readonly Tool[] = [...itemTools, ...workTools];
const fixedByName = new Map(fixed.map((tool) => [tool.name, tool]));

const scopeOf = ({ principal }: Caller): string => `tools:${principal.access.key}`;

/** How many tools are before the page that a cursor is for. */
const openCursor = (caller: Caller, cursor: string | undefined): number => {
  try {
    return Number(caller.env.seal.openCursor(scopeOf(caller), cursor)?.[0] ?? 0);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new RpcFailure({ code: rpcCodes.invalidParams, message: error.message, data: { code: error.code } });
  }
};

/** A page of them. Throws for a cursor that is not of this list. */
export const listTools = (caller: Caller, cursor: string | undefined): Result => {
  const listed = [...fixed, ...actionTools(caller)].filter((tool) => tool.listed(caller));
  const from = openCursor(caller, cursor);
  const to = from + limits.toolsPage;
  return {
    tools: `[${listed.slice(from, to).map(({ text }) => text).join(',')}]`,
    ...(to < listed.length ? { nextCursor: JSON.stringify(caller.env.seal.cursor(scopeOf(caller), [to])) } : {}),
  };
};

/** The tool of that name as far as this caller may know of it: what it may not do is refused by the endpoint. */
export const toolNamed = (caller: Caller, name: string): Tool | undefined => fixedByName.get(name) ?? actionToolNamed(caller, name);

/** The action that a name would be of if there were one, for the audit log. */
export const actionNamedBy = (name: string): string | null => (name.startsWith(actionPrefix) ? name.slice(actionPrefix.length) : null);
