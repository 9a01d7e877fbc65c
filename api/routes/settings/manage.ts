/**
 * Shared by the settings endpoints: the check of rights, changes in one transaction with audit entry and saved response, and
 * the endpoints that several of them have alike: lists, new tokens, removals.
 */
import { fault } from '../../../shared/catalogue/errors.ts';
import { strictObject, type TSchema } from '../../../shared/platform/core/schema.ts';
import { compileCheck } from '../../../shared/platform/core/validate.ts';
import type { Tx } from '../../../shared/platform/db/knex.ts';
import { insertSavedResponse } from '../../../shared/platform/journal/idempotency.ts';
import { runAdminChange, toAdministrator, type Administrator } from '../../../shared/settings/adminChange.ts';
import { rotationInput } from '../../../shared/settings/schema.ts';
import { readEndpoint, writeEndpoint, type Endpoint, type EndpointCall } from '../../endpoint.ts';
import type { ApiResponse } from '../../http/apiResponse.ts';
import { listResponse, pageQuerySchema, paginateByName } from '../discovery.ts';

export const settingsTag = 'Settings';

type SettingsCall = Pick<EndpointCall, 'deps' | 'caller' | 'session'>;

/**
 * Throws unless the caller is a person with `settings: manage`: `403 person_required`, `403 forbidden`, and
 * `403 fresh_sign_in_required` where `fresh` is set. Comes before any id is looked up.
 */
export const requireManager = (
  { deps, caller: { principal }, session }: SettingsCall,
  { fresh }: { readonly fresh: boolean },
): void => {
  if (principal.type !== 'person') throw fault('person_required');
  if (!principal.access.may('settings', 'manage')) throw fault('forbidden');
  if (fresh && (session.freshUntil === null || session.freshUntil <= deps.clock.now()))
    throw fault('fresh_sign_in_required');
};

/** The result of a change. */
export interface SettingsResult {
  readonly status: 200 | 201 | 202 | 204;
  readonly body?: object;
  /** Part of the response only, and never stored. */
  readonly token?: string;
}

/** Writes a change in one transaction; it takes effect in this process before the response, and within a second in all others. */
export const runSettingsChange = async (
  call: EndpointCall,
  work: (tx: Tx, admin: Administrator) => Promise<SettingsResult>,
): Promise<ApiResponse> => {
  const { deps, caller, session, save } = call;
  const at = deps.clock.now();
  const { status, body, token } = await runAdminChange(deps.db, deps.bus, async (tx) => {
    const told = await work(tx, toAdministrator(caller, at, session.freshUntil));
    const kept =
      told.body === undefined
        ? ''
        : JSON.stringify(told.token === undefined ? told.body : { ...told.body, token: null });
    const saved = save(told.status, kept);
    if (saved !== null) await insertSavedResponse(tx, saved, at);
    return told;
  });
  // The change is committed: if it can't be read now, this process polls for it as the others do.
  await deps.directory.refresh().catch(() => undefined);
  return { status, body: token === undefined ? body : { ...body, token } };
};

/** Returns the addresses of an environment for its clients. */
export const environmentBaseUrl = ({ deps }: Pick<EndpointCall, 'deps'>, environment: string): string =>
  `${deps.config.publicUrl}/api/env/${environment}`;

interface ListRow<T> {
  readonly path: string;
  readonly plural: string;
  readonly summary: string;
  readonly schema: TSchema;
  find(call: EndpointCall): Promise<readonly T[]>;
}

/** Returns a page of a list by name. */
export const settingsListEndpoint = <T extends { readonly name: string; readonly id?: string }>({
  path,
  plural,
  summary,
  schema,
  find,
}: ListRow<T>): Endpoint =>
  readEndpoint({
    path,
    name: `settings.${plural}`,
    summary,
    tag: settingsTag,
    query: strictObject(pageQuerySchema),
    responses: { 200: listResponse(plural, schema) },
    example: {},
    handle: async (call) => {
      requireManager(call, { fresh: false });
      const { page, cursor } = paginateByName(call.caller, path, await find(call), call.query);
      return { status: 200, body: { [plural]: page, cursor } };
    },
  });

/** Returns a function that gives the audit entry of a change its target: the resource that the path names. */
export const settingsTarget =
  (type: string) =>
  ({ params }: Pick<EndpointCall, 'params'>) => ({ type, id: params['id'] ?? null });

interface ResourceRow {
  /** Path of the list; the id follows it. */
  readonly path: string;
  /** Type of the target in the audit log, such as `agent`. */
  readonly type: string;
  readonly exampleId: string;
  readonly summary: string;
}

interface RotationRow extends ResourceRow {
  readonly response: TSchema;
  rotate(call: EndpointCall, tx: Tx, admin: Administrator, grace: number): Promise<SettingsResult>;
}

const checkRotation = compileCheck(rotationInput);

/** Returns the endpoint that gives a credential a new token; the old one works for `grace` milliseconds more. */
export const settingsRotationEndpoint = ({ path, type, exampleId, summary, response, rotate }: RotationRow): Endpoint =>
  writeEndpoint({
    path: `${path}/:id/rotate`,
    name: `${type}.rotate`,
    summary,
    tag: settingsTag,
    body: rotationInput,
    bodyOptional: true,
    responses: { 201: response },
    example: { params: { id: exampleId }, body: { grace: 3_600_000 } },
    audit: { verb: `${type}.rotate`, target: settingsTarget(type) },
    check: checkRotation,
    handle: async (call) => {
      requireManager(call, { fresh: true });
      return runSettingsChange(call, (tx, admin) => rotate(call, tx, admin, call.body.grace ?? 0));
    },
  });

interface RemovalRow extends ResourceRow {
  readonly verb: 'revoke' | 'delete';
  /** Whether a fresh sign-in is needed. */
  readonly fresh: boolean;
  remove(tx: Tx, admin: Administrator, id: string): Promise<unknown>;
}

const noBody = strictObject({});
const checkNoBody = compileCheck(noBody);

/** Returns the endpoint that removes a resource and answers 204; what `remove` resolves with is not used. */
export const settingsRemovalEndpoint = ({
  path,
  type,
  exampleId,
  summary,
  verb,
  fresh,
  remove,
}: RemovalRow): Endpoint =>
  writeEndpoint({
    method: 'delete',
    path: `${path}/:id`,
    name: `${type}.${verb}`,
    summary,
    tag: settingsTag,
    body: noBody,
    bodyOptional: true,
    responses: { 204: null },
    example: { params: { id: exampleId }, body: {} },
    audit: { verb: `${type}.${verb}`, target: settingsTarget(type) },
    check: checkNoBody,
    handle: async (call) => {
      requireManager(call, { fresh });
      return runSettingsChange(call, async (tx, admin) => {
        await remove(tx, admin, call.params['id'] ?? '');
        return { status: 204 };
      });
    },
  });
