/** One tool for each action that the app declares, served by the row of `POST /actions`. Used by server.ts. */
import { createHash } from 'node:crypto';
import type { Caller } from '../../shared/accounts/access/principal.ts';
import type { ActionDefinition } from '../../shared/app/manifest/actions.ts';
import type { Definition } from '../../shared/app/manifest/definition.ts';
import { getOrCreate } from '../../shared/platform/caches.ts';
import { strictObject } from '../../shared/platform/json/schema.ts';
import { compileCheck } from '../../shared/platform/json/validate.ts';
import { canRunAction } from '../../shared/runs/queries.ts';
import type { EndpointCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { actionArguments, type ArgumentNames } from './actionSchema.ts';
import { toObject } from './arguments/coerce.ts';
import { confirmDryRun, readValues, requireKnownArguments } from './arguments/readValues.ts';
import { readRecordId } from './arguments/recordRefs.ts';
import { getEndpoint } from './endpoints.ts';
import { doAlone, requireNewRun } from './repeatedCalls.ts';
import { serveEndpoint } from './serveEndpoint.ts';
import { idempotencyKey, toChangeHeaders, type Tool, type ToolHints } from './tool.ts';

export const actionPrefix = 'action_';
/** MCP clients refuse longer names, and some of them dots. */
const nameMax = 64;
const hashLength = 8;

/** Returns the name of an action's tool, which depends on the action's name alone and so reveals no other declaration. */
const actionToolName = (action: string): string => {
  const plain = `${actionPrefix}${action}`;
  if (plain.length <= nameMax && !plain.includes('.')) return plain;
  const hash = createHash('sha256').update(action).digest('hex').slice(0, hashLength);
  return `${plain.replaceAll('.', '_').slice(0, nameMax - hashLength - 1)}_${hash}`;
};

/** Returns a text with a full stop, to be followed by another sentence. */
const sentence = (text: string): string => (/[.!?]\s*$/.test(text) ? text.trim() : `${text.trim()}.`);

const descriptionOf = (
  { label, description, input, danger, approval, background, freshSignIn, ...rest }: ActionDefinition,
  { confirmed }: ArgumentNames,
): string =>
  [
    sentence(description ?? label),
    ...('description' in input && typeof input.description === 'string' ? [sentence(input.description)] : []),
    ...(confirmed === undefined ? [] : [`Danger ${danger ?? ''}: needs ${confirmed}.`]),
    ...(rest.reversible === false ? ['Can’t be undone.'] : []),
    ...(freshSignIn ? ['Needs a sign-in not older than 15 minutes.'] : []),
    ...(approval ? ['A person approves it.'] : []),
    ...(rest.repeatable ? ['Repeatable.'] : []),
    ...(background ? ['Runs in the background: get_run.'] : []),
    ...(rest.offline === 'queue' ? [] : ['Refused if the app is offline.']),
  ].join(' ');

const actionHints = ({ danger, repeatable }: ActionDefinition): ToolHints => ({
  readOnlyHint: false,
  destructiveHint: danger !== null,
  idempotentHint: repeatable,
});

type Given = Readonly<Record<string, unknown>>;

/** Returns the members of the endpoint's body that the arguments beside the input name. */
const runMembers = ['record', 'item', 'confirmed', 'reason', 'dryRun'] as const;

const toActionBody = ({ name }: ActionDefinition, names: ArgumentNames, given: Given): Record<string, unknown> => {
  const rest = { ...given };
  const body: Record<string, unknown> = { action: name };
  for (const member of runMembers) {
    const argument = names[member];
    if (argument === undefined || !Object.hasOwn(rest, argument)) continue;
    body[member] = rest[argument];
    delete rest[argument];
  }
  if (names.input === undefined) return { ...body, input: rest };
  const { [names.input]: input, ...unknown } = rest;
  requireKnownArguments(
    unknown,
    Object.values(names).filter((argument) => typeof argument === 'string'),
  );
  return input === undefined ? body : { ...body, input };
};

const argumentPath =
  (names: ArgumentNames) =>
  (path: string): string => {
    const member = [...runMembers, 'idempotencyKey' as const].find((each) => each === path);
    if (member !== undefined) return names[member] ?? path;
    return names.input === undefined ? path.replace(/^input(?:\.|$)/, '') : path;
  };

/** Removes `x-mcp-header` from an app's schema: arguments in headers would have to be compared with the body. */
const withoutHeaders = (schema: object): object =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON that was written from an object
  JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === 'x-mcp-header' && typeof value === 'string' ? undefined : value,
    ),
  ) as object;

/** Throws `400 invalid` for arguments that a schema which is closed does not have, with the nearest ones that it has. */
const requireDeclared = (schema: object, given: Given): void => {
  const { properties, additionalProperties } = schema as { properties?: object; additionalProperties?: unknown };
  if (additionalProperties === false) requireKnownArguments(given, Object.keys(properties ?? {}));
};

/** Returns the arguments with the id of the record alone. */
const withRecordId = async (
  call: EndpointCall,
  { resource }: ActionDefinition,
  { names: { record: path }, raw }: { readonly names: ArgumentNames; readonly raw: Given },
): Promise<Given> => {
  if (resource === null || path === undefined || raw[path] === undefined) return raw;
  return { ...raw, [path]: await readRecordId(call, { resource, given: toObject(raw[path]), path: 'record' }) };
};

const run = serveEndpoint(getEndpoint('action.run'));
const outputSchema = {
  type: 'object',
  properties: { run: { type: 'string' } },
};
const checkKey = compileCheck(strictObject({ idempotencyKey })) as (given: unknown) => { idempotencyKey?: string };

const createActionTool = (action: ActionDefinition): Tool => {
  const { names, inputSchema } = actionArguments(action);
  const name = actionToolName(action.name);
  const isRunnable = (caller: Caller): boolean =>
    canRunAction(caller, { action: action.name, resource: action.resource });
  return {
    name,
    isListed: (caller) =>
      isRunnable(caller) &&
      caller.principal.mode !== 'readonly' &&
      (!action.freshSignIn || caller.principal.type === 'person'),
    entry: {
      name,
      title: action.label,
      description: descriptionOf(action, names),
      inputSchema: withoutHeaders(inputSchema),
      outputSchema,
      annotations: actionHints(action),
    },
    page: null,
    root: null,
    projected: null,
    kinds: {},
    argumentPath: argumentPath(names),
    serve: async (call, raw, now) => {
      const mayRun = isRunnable(call.caller);
      const named = mayRun ? await withRecordId(call, action, { names, raw }) : raw;
      const { given, timeless } = readValues(inputSchema, named, now);
      if (mayRun) requireDeclared(inputSchema, given);
      const { [names.idempotencyKey]: key, ...rest } = given;
      const { [names.idempotencyKey]: _, ...fingerprinted } = timeless();
      const bodyOf = (own: Given): Given =>
        confirmDryRun(toActionBody(action, names, own), names.confirmed !== undefined);
      const values = bodyOf(rest);
      const isOnce = key === undefined && !action.repeatable && values['dryRun'] !== true;
      const answer = (): Promise<ApiResponse> =>
        run(call, {
          params: {},
          values,
          fingerprinted: bodyOf(fingerprinted),
          headers: toChangeHeaders(checkKey(key === undefined ? {} : { idempotencyKey: key })),
        });
      if (!mayRun || !isOnce) return answer();
      return doAlone(call, [name, values['record'], values['input']], async () => {
        await requireNewRun(call, action, values);
        return answer();
      });
    },
  };
};

const toolsByDefinition = new WeakMap<
  Definition,
  ReadonlyMap<string, { readonly action: ActionDefinition; readonly tool: Tool }>
>();

const getActionTools = (definition: Definition) => {
  return getOrCreate(
    toolsByDefinition,
    definition,
    () =>
      new Map(
        [...definition.actions.values()]
          .sort((a, b) => (a.name < b.name ? -1 : 1))
          .map((action) => [actionToolName(action.name), { action, tool: createActionTool(action) }]),
      ),
  );
};

/** Returns the tools of the environment's actions, ordered by the actions' names. */
export const listActionTools = ({ env }: Caller): Tool[] =>
  [...getActionTools(env.definition).values()].map(({ tool }) => tool);

/** Returns the tool of an action that the caller may run or whose resource it sees; else undefined. */
export const findActionTool = (caller: Caller, name: string): Tool | undefined => {
  const found = getActionTools(caller.env.definition).get(name);
  if (found === undefined) return undefined;
  const {
    action: { name: action, resource },
    tool,
  } = found;
  return canRunAction(caller, { action, resource }) ||
    (resource !== null && caller.principal.access.sees('resource', resource))
    ? tool
    : undefined;
};
