/** The endpoints of feature flags: the list, one, its changes and its history. */
import { listCursors } from '../../shared/accounts/access/listCursors.ts';
import { pendingResponse } from '../../shared/approvals/schema.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import {
  changeFlag,
  requireMayChangeFlag,
  requireVisibleFlag,
  type FlagChangeOutcome,
} from '../../shared/flags/changeFlag.ts';
import type { FlagChange } from '../../shared/flags/decideFlag.ts';
import { parseFlagChange } from '../../shared/flags/flagChangeProblems.ts';
import { flagEtag } from '../../shared/flags/model.ts';
import { listFlags, readFlag, readFlagHistory } from '../../shared/flags/read.ts';
import {
  flagChangeBody,
  flagChangeResponse,
  flagDryRunResponse,
  flagHistorySchema,
  flagSchema,
} from '../../shared/flags/schema.ts';
import { unknownTag } from '../../shared/items/tags.ts';
import { archivedMember } from '../../shared/platform/journal/pastEvents.ts';
import {
  archivedBeforeSchema,
  cursorSchema,
  limitSchema,
  nextCursorSchema,
  responseObject,
  strictObject,
  Type,
  type Warning,
} from '../../shared/platform/json/schema.ts';
import { readEndpoint, writeEndpoint, type Endpoint, type EndpointCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';

const exampleFlag = 'new_checkout';
const keyOf = ({ params }: Pick<EndpointCall, 'params'>): string => params['flag'] ?? '';

const list = readEndpoint({
  path: '/flags',
  name: 'flag.list',
  summary: 'Every flag’s value, rollout, targets, rules and ramp',
  tag: 'Flags',
  query: strictObject({ cursor: Type.Optional(cursorSchema), limit: Type.Optional(limitSchema) }),
  responses: { 200: responseObject({ flags: Type.Array(flagSchema), cursor: nextCursorSchema }) },
  example: { query: { limit: 20 } },
  handle: async ({ deps, caller, query: { cursor: given, limit: size } }) => {
    const cursors = listCursors(caller, 'flags', [caller.principal.access.key]);
    const keys = cursors.open(given);
    const { flags, next } = await listFlags(deps, caller, {
      after: keys === null ? null : String(keys[0]),
      limit: size ?? limits.pageDefault,
    });
    return { status: 200, body: { flags, cursor: cursors.next(next === null ? null : [next]) }, items: true };
  },
});

const one = readEndpoint({
  path: '/flags/:flag',
  name: 'flag.get',
  summary: 'A flag',
  tag: 'Flags',
  query: strictObject({}),
  responses: { 200: responseObject({ flag: flagSchema }) },
  example: { params: { flag: exampleFlag } },
  handle: async (call) => {
    const flag = await readFlag(call.deps, call.caller, keyOf(call));
    return { status: 200, body: { flag }, etag: flagEtag(flag.version), items: true };
  },
});

const history = readEndpoint({
  path: '/flags/:flag/history',
  standby: true,
  name: 'flag.history',
  summary: 'What happened to a flag, newest first: changes, steps of ramps, what their guards did',
  tag: 'Flags',
  query: strictObject({ cursor: Type.Optional(cursorSchema), limit: Type.Optional(limitSchema) }),
  responses: {
    200: responseObject({
      entries: Type.Array(flagHistorySchema),
      cursor: nextCursorSchema,
      archivedBefore: Type.Optional(archivedBeforeSchema),
    }),
  },
  example: { params: { flag: exampleFlag }, query: { limit: 20 } },
  handle: async (call) => {
    const {
      deps,
      caller,
      query: { cursor: given, limit: size },
    } = call;
    const { key } = requireVisibleFlag(caller, keyOf(call));
    const cursors = listCursors(caller, 'history', [caller.principal.access.key, key]);
    const keys = cursors.open(given);
    const { entries, next } = await readFlagHistory(deps.db, caller, key, {
      before: keys === null ? null : Number(keys[0]),
      limit: size ?? limits.pageDefault,
    });
    const archived = archivedMember(deps.directory.past(), { next });
    return { status: 200, body: { entries, cursor: cursors.next(next === null ? null : [next]), ...archived } };
  },
});

/** Returns a warning that the guard of a ramp counts by a tag that no item has. */
const guardWarnings = async (
  { deps: { db }, caller: { env } }: EndpointCall,
  { ramp }: FlagChange,
): Promise<readonly Warning[]> => {
  const { inbox, tag } = ramp?.guard ?? { inbox: '', tag: null };
  const none = tag === null ? null : await unknownTag(db, env.id, [inbox], tag);
  return none === null ? [] : [{ code: 'guard_counts_nothing', message: `The guard counts nothing so far. ${none}` }];
};

const toFlagChangeResponse = (
  outcome: FlagChangeOutcome,
  warnings: readonly Warning[],
): ApiResponse & { readonly body: string } => {
  const warned = warnings.length === 0 ? {} : { warnings };
  if (outcome.kind === 'pending')
    return { status: 202, body: JSON.stringify({ pending: true, approval: outcome.approval, ...warned }) };
  const { applied } = outcome;
  if (outcome.kind === 'dryRun')
    return {
      status: 200,
      body: JSON.stringify({ dryRun: true, would: outcome.would, ...applied, ...warned }),
      items: true,
    };
  const { flag, changed, replaced } = applied;
  const body = JSON.stringify({ ...(replaced === null ? { flag, changed } : applied), ...warned });
  return { status: 200, body, etag: flagEtag(flag.version), items: true };
};

const change = writeEndpoint({
  path: '/flags/:flag',
  name: 'flag.change',
  summary: 'Change a flag: its value, rollout, targets, rules, or a ramp; or try out what that would do',
  tag: 'Flags',
  conditional: true,
  body: flagChangeBody,
  responses: {
    200: Type.Union([flagChangeResponse, flagDryRunResponse]),
    202: pendingResponse,
  },
  example: { params: { flag: exampleFlag }, body: { change: { rollout: 25, targets: { cus_1001: true } } } },
  audit: { verb: 'flag.change', target: (call) => ({ type: 'flag', id: keyOf(call) }) },
  // The schema of the body depends on the flag, whose existence only those may know who see it.
  check: (body) => body,
  handle: async (call) => {
    const { deps, caller, ifMatch } = call;
    const declared = requireVisibleFlag(caller, keyOf(call));
    requireMayChangeFlag(caller, declared.key);
    const parsed = parseFlagChange(caller, declared, call.body, deps.clock.now());
    const warnings = await guardWarnings(call, parsed.change);
    const save = (outcome: FlagChangeOutcome) => {
      const { status, body, etag } = toFlagChangeResponse(outcome, warnings);
      return call.save(status, body, etag);
    };
    // Models replace what they don't mean to; people and programs read the answer's `replaced`.
    const replaces = call.ofTool === null || call.ofTool['replace'] === true;
    const outcome = await changeFlag(deps, caller, declared, {
      ...parsed,
      ifMatch,
      replaces,
      warned: warnings.length > 0,
      save,
    });
    // The next evaluation in this process has the new value.
    if (outcome.kind === 'done' && outcome.applied.changed) await deps.flags.refresh().catch(() => undefined);
    return toFlagChangeResponse(outcome, warnings);
  },
});

export const flagEndpoints: readonly Endpoint[] = [list, one, history, change];
