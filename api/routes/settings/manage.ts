/** Shared by the settings endpoints: the check of rights, and changes in one transaction with audit entry and saved response. */
import { type Caller, requirePerson } from '../../../shared/accounts/access/principal.ts';
import { runAdminChange, toAdministrator, type Administrator } from '../../../shared/accounts/settings/adminChange.ts';
import { fault } from '../../../shared/catalogue/errors.ts';
import type { Tx } from '../../../shared/platform/db/knex.ts';
import { insertSavedResponse } from '../../../shared/platform/journal/changeWriter.ts';
import {
  writeEndpoint,
  type Endpoint,
  type EndpointCall,
  type FreshRule,
  type WriteEndpointRow,
} from '../../endpoint.ts';
import type { ApiResponse } from '../../http/apiResponse.ts';

export const settingsTag = 'Settings';

/** Throws unless the caller is a person with `settings: manage`: `403 person_required` or `403 forbidden`. */
export const requireManager = (caller: Caller): void => {
  requirePerson(caller);
  if (!caller.principal.access.may('settings', 'manage')) throw fault('forbidden');
};

const needsFresh = (rule: FreshRule, body: object): boolean =>
  typeof rule === 'string' ? rule === 'always' : Object.keys(body).some((name) => !rule.unlessOnly.includes(name));

interface SettingsRow<I> extends Omit<WriteEndpointRow<I>, 'tag' | 'authorize'> {
  readonly fresh: FreshRule;
}

/** Returns the endpoint of a change, for people with `settings: manage` whose sign-in is as fresh as the row demands. */
export const settingsWriteEndpoint = <I extends object>(row: SettingsRow<I>): Endpoint =>
  writeEndpoint({
    ...row,
    tag: settingsTag,
    authorize: requireManager,
    handle: (call) => {
      const { deps, session, body } = call;
      const isFresh = session.freshUntil !== null && session.freshUntil > deps.clock.now();
      if (!isFresh && needsFresh(row.fresh, body)) throw fault('fresh_sign_in_required');
      return row.handle(call);
    },
  });

/** The result of a change. */
export interface SettingsResult {
  readonly status: 200 | 201 | 202 | 204;
  readonly body?: object;
  /** Members of the response only, such as a token, which are never stored. */
  readonly once?: Readonly<Record<string, string>>;
}

/** Writes a change in one transaction; it takes effect in this process before the response, and within a second in all others. */
export const runSettingsChange = async (
  call: EndpointCall,
  work: (tx: Tx, admin: Administrator) => Promise<SettingsResult>,
): Promise<ApiResponse> => {
  const { deps, caller, save } = call;
  const at = deps.clock.now();
  const { status, body, once } = await runAdminChange(deps.db, deps.bus, async (tx) => {
    const told = await work(tx, toAdministrator(caller, at));
    const kept =
      told.body === undefined
        ? ''
        : JSON.stringify({
            ...told.body,
            ...Object.fromEntries(Object.keys(told.once ?? {}).map((name) => [name, null])),
          });
    const saved = save(told.status, kept);
    if (saved !== null) await insertSavedResponse(tx, saved, at);
    return told;
  });
  // The change is committed: if it can't be read now, this process polls for it as the others do.
  await deps.directory.refresh().catch(() => undefined);
  return { status, body: once === undefined ? body : { ...body, ...once } };
};
