/** A request of the console as a curl line and as a call of a tool, without a credential, and copying either. Used by the action sheet and the palette. */
import { publicBase } from '../wire/base.ts';
import { laterTexts } from './laterTexts.ts';
import { useSession } from './session.ts';

interface Copy {
  readonly kind: 'curl' | 'mcp';
  readonly label: string;
  readonly run: () => void;
}

/** Returns a function that makes one that copies a text and says `copied`, or that the browser does not let it. */
export const useCopy = (): ((text: string, copied: string) => () => void) => {
  const { notices } = useSession();
  return (text, copied) => () => {
    navigator.clipboard.writeText(text).then(
      () => notices.done(copied),
      () => notices.failed(laterTexts.copy.refused),
    );
  };
};

/** Returns a function that returns the ways to copy a request: all as a curl line, those with a tool as its call. */
export const useCopies = (): ((request: CopiedRequest) => readonly Copy[]) => {
  const { environment } = useSession();
  const copy = useCopy();
  return (request) => {
    const curl = toCurl(request, environment);
    const call = toToolCall(request);
    return [
      { kind: 'curl', label: laterTexts.copy.asCurl, run: copy(curl, laterTexts.copy.copiedCurl) },
      ...(call === null
        ? []
        : [{ kind: 'mcp' as const, label: laterTexts.copy.asCall, run: copy(call, laterTexts.copy.copiedCall) }]),
    ];
  };
};

export interface CopiedRequest {
  readonly method: string;
  /** Below the environment's address. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  readonly body?: unknown;
}

/** The tool of each request; names after a colon are arguments. Requests without a tool are for people alone. */
const tools: readonly (readonly [request: string, tool: string])[] = [
  ['GET /counts', 'get_counts'],
  ['GET /search', 'search'],
  ['GET /items', 'list_items'],
  ['GET /items/:id', 'get_item'],
  ['GET /resources', 'list_resources'],
  ['GET /resources/:resource/list', 'list_records'],
  ['GET /resources/:resource/:id', 'get_record'],
  ['GET /pages', 'list_pages'],
  ['GET /pages/:page', 'get_page'],
  ['GET /runs', 'list_runs'],
  ['GET /runs/:id', 'get_run'],
  ['GET /flags', 'list_flags'],
  ['GET /flags/:flag', 'get_flag'],
  ['GET /approvals', 'list_approvals'],
  ['GET /approvals/:id', 'get_approval'],
  ['GET /bulk', 'list_bulks'],
  ['GET /bulk/:id', 'get_bulk'],
  ['POST /items/:id/state', 'set_item_state'],
  ['POST /items/:id/assign', 'assign_item'],
  ['POST /items/:id/tags', 'tag_item'],
  ['POST /items/:id/snooze', 'snooze_item'],
  ['POST /items/:id/notes', 'add_note'],
  ['POST /items/:id/reply', 'reply_to_item'],
  ['PATCH /items/:id', 'update_item'],
  ['POST /bulk', 'bulk_items'],
  ['POST /bulk/:id/undo', 'undo_bulk'],
  ['POST /bulk/:id/cancel', 'cancel_bulk'],
  ['POST /runs/:id/cancel', 'cancel_run'],
  ['POST /runs/:id/retry', 'retry_run'],
  ['POST /flags/:flag', 'change_flag'],
];

interface ToolCall {
  readonly name: string;
  readonly args: object;
}

/** Arguments of an action's tool that are no part of its input. */
const runMembers = new Set(['record', 'item', 'confirmed', 'reason', 'idempotencyKey', 'input']);

/** Parameters that are JSON in an address and objects in a tool. */
const objects = new Set(['filters', 'params']);

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const toCurl = ({ method, path, query, body }: CopiedRequest, environment: string): string => {
  const url = new URL(`${publicBase}/api/env/${encodeURIComponent(environment)}${path}`, location.origin);
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return [
    `curl -sS ${method === 'GET' ? '' : `-X ${method} `}${quoted(url.href)}`,
    `-H "authorization: Bearer $CONSOLE_TOKEN"`,
    ...(body === undefined ? [] : [`-H 'content-type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
};

/** Returns the arguments that the path has in the places of a row; null: it is another's. */
const matched = (row: string, { method, path }: CopiedRequest): Readonly<Record<string, string>> | null => {
  const names = row.split('/');
  const parts = `${method} ${path}`.split('/');
  if (names.length !== parts.length) return null;
  const found: Record<string, string> = {};
  for (const [at, name] of names.entries()) {
    const part = parts[at] ?? '';
    if (name.startsWith(':')) found[name.slice(1)] = decodeURIComponent(part);
    else if (name !== part) return null;
  }
  return found;
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Returns the tool of an action and its arguments; null: its name or its input does not fit beside the run's own members. */
const toActionCall = ({ action, input, ...rest }: Readonly<Record<string, unknown>>): ToolCall | null => {
  const isPlain = typeof action === 'string' && /^[^.]{1,57}$/.test(action) && isObject(input) && !Array.isArray(input);
  if (!isPlain || Object.keys(input).some((name) => runMembers.has(name))) return null;
  return { name: `action_${action}`, args: { ...rest, ...input } };
};

/** Returns the parameters of a call as the Model Context Protocol has them; null: there is no tool for it. */
const toToolCall = (request: CopiedRequest): string | null => {
  const { query, body } = request;
  const print = ({ name, args }: ToolCall): string => JSON.stringify({ name, arguments: args }, null, 2);
  const given = isObject(body) ? body : {};
  if (request.method === 'POST' && request.path === '/actions') {
    const call = toActionCall(given);
    return call === null ? null : print(call);
  }
  for (const [row, tool] of tools) {
    const named = matched(row, request);
    if (named === null) continue;
    const asked = Object.entries(query ?? {}).flatMap(([name, value]): [string, unknown][] =>
      value === undefined ? [] : [[name, objects.has(name) ? JSON.parse(String(value)) : value]],
    );
    return print({ name: tool, args: { ...named, ...Object.fromEntries(asked), ...given } });
  }
  return null;
};
