/** Shared by the settings endpoints: the check of rights, changes in one transaction with audit entry and saved response, and lists. */
import { fault } from '../../../shared/catalogue/errors.ts';
import { strictObject, type TSchema } from '../../../shared/platform/core/schema.ts';
import type { Tx } from '../../../shared/platform/db/knex.ts';
import { insertSavedResponse } from '../../../shared/platform/journal/idempotency.ts';
import { runAdminChange, toAdministrator, type Administrator } from '../../../shared/settings/adminChange.ts';
import { readEndpoint, type Endpoint, type EndpointCall } from '../../endpoint.ts';
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
