/** `app.register`: defines the environment by the app's manifest and makes the socket callable. Called by requests.ts. */
import type { Caller } from '../../shared/accounts/access/principal.ts';
import { runAdminChange, toAdministrator } from '../../shared/accounts/settings/adminChange.ts';
import { compareDefinition } from '../../shared/accounts/settings/environments/compareDefinition.ts';
import { manifestDeclarationKeys } from '../../shared/app/link/declarationKeys.ts';
import { deleteConnections, insertConnection } from '../../shared/app/link/presence.ts';
import type { AppCalls } from '../../shared/app/link/protocol.ts';
import { Fault, fault, type FaultDetail } from '../../shared/catalogue/errors.ts';
import { apiVersion } from '../../shared/catalogue/release.ts';
import { notifyFlagsChanged } from '../../shared/flags/changeFlag.ts';
import { flagView } from '../../shared/flags/model.ts';
import { declareEnvironment, type DeclareResult } from '../../shared/flags/redeclaredFlags.ts';
import { jsonProblem } from '../../shared/platform/json/jsonLimits.ts';
import { strictObject, timeSchema, Type } from '../../shared/platform/json/schema.ts';
import { compileCheck, invalidFault } from '../../shared/platform/json/validate.ts';
import { releaseParkedJobs } from '../../shared/platform/leases/jobLease.ts';
import type { AppContext } from './context.ts';
import type { AppRequest, AppSession } from './session.ts';

const text = (description: string) => Type.String({ minLength: 1, maxLength: 100, pattern: '\\S', description });

export const registrationInput = strictObject({
  manifest: Type.Object({}, { description: 'What the app declares; its JSON Schema is at /manifest.schema.json.' }),
  instance: text('Made at the process’s start and kept over reconnects.'),
  startedAt: timeSchema('When the process was started.'),
  sdk: text('Name and version of what speaks.'),
  dryRun: Type.Optional(Type.Boolean({ description: 'Compares only, and registers nothing.' })),
});
const checkRegistration = compileCheck(registrationInput);

/** The problems of a manifest, apart from those of the other params. */
export class ManifestRefusedError extends Error {
  declare readonly problems: readonly FaultDetail[];

  constructor(message: string, problems: readonly FaultDetail[]) {
    super(message);
    this.problems = problems;
  }
}

/** Returns a function that names the release in a problem of what it does not know, and that of the app's SDK if it is newer. */
const nameRelease = (sdk: string) => {
  const [ofSdk = ''] = /\d+\.\d+\.\d+/.exec(sdk) ?? [];
  const isNewer = ofSdk.localeCompare(apiVersion, 'en', { numeric: true }) > 0;
  const words = `this release (${apiVersion}) does not know it${isNewer ? `, that of the app’s SDK (${ofSdk}) may` : ''}`;
  return ({ path, message }: FaultDetail): FaultDetail => ({
    path,
    message: message.startsWith('is not known here') ? `${message}; ${words}` : message,
  });
};

/** Passes the problems of a manifest on as `ManifestRefusedError`. */
const withProblems = async <T>(sdk: string, work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Fault && error.code === 'invalid')
      throw new ManifestRefusedError(error.message, (error.extra.details ?? []).map(nameRelease(sdk)));
    throw error;
  }
};

/** What comes over the link stands in rows, in the history and in the live message, and the answer does not repeat it. */
export const linkCopies = 3;

const defineManifest = async (
  { deps }: AppContext,
  caller: Caller,
  { manifest, startedAt, bytes, signal }: { manifest: unknown; startedAt: number; bytes: number; signal: AbortSignal },
): Promise<DeclareResult> => {
  const now = deps.clock.now();
  const [owner, envId] = [caller.principal.id ?? '', caller.env.id];
  // An app whose clock runs ahead must not prevent every later version from being defined.
  const declared = { environment: caller.env.name, manifest, startedAt: Math.min(startedAt, now), signal };
  const result = await runAdminChange(deps.db, deps.bus, async (tx) => {
    const made = await declareEnvironment(tx, toAdministrator(caller, now), declared);
    // An app that declares what it did before comes back beyond the limit too.
    if (made.changed) await deps.meter.require(owner, envId, false);
    return made;
  });
  if (result.changed) deps.meter.count(owner, envId, linkCopies * bytes);
  return result;
};

/** Returns what registering the manifest would change. */
const compareManifest = async (
  { deps }: AppContext,
  session: AppSession,
  caller: Caller,
  manifest: unknown,
): Promise<AppCalls['app.register']['result']> => {
  await deps.directory.refresh();
  const { name: environment, definition } = deps.directory.environmentById(session.envId) ?? caller.env;
  const admin = toAdministrator(caller, deps.clock.now());
  const compared = compareDefinition(
    deps.db,
    admin,
    { environment, manifest, signal: session.closed },
    definition.manifest,
  );
  return { environment, connection: session.connection.id, ...(await compared) };
};

/** Makes the jobs due that were parked until the app is online; errors are logged. */
const releaseParked = async ({ deps }: AppContext, envId: number): Promise<void> => {
  try {
    await releaseParkedJobs(deps, envId);
  } catch (error) {
    deps.log.debug(
      { err: error, env: envId },
      'the jobs that wait for an app could not be released; the sweep will do it',
    );
  }
};

/** Notifies the other instances of flags that this one declares differently; errors are logged. */
const notifyOtherInstances = async (
  { deps: { link, flags, directory, clock, log } }: AppContext,
  envId: number,
  keys: readonly string[],
): Promise<void> => {
  try {
    const env = directory.environmentById(envId);
    if (env === undefined || keys.length === 0 || !(await link.online(envId))) return;
    for (const key of keys) {
      const cached = await flags.get(env, key);
      if (cached !== undefined) link.notify(envId, 'flags.changed', { flag: flagView(cached.flag, clock.now()) });
    }
  } catch (error) {
    log.debug({ err: error, env: envId }, 'other instances could not be notified of flags; they poll them');
  }
};

/** Registers the app and returns the connections that it replaces. `answer` is called before the first call of the service is sent. */
export const registerApp = async (
  context: AppContext,
  session: AppSession,
  caller: Caller,
  { params, length: bytes }: AppRequest,
  answer: (result: AppCalls['app.register']['result']) => void,
): Promise<readonly { readonly id: string; readonly process: string }[]> => {
  const { deps, sockets, turns } = context;
  const { manifest, instance, startedAt, sdk, dryRun = false } = checkRegistration(params);
  const problem = jsonProblem({ instance, sdk });
  if (problem !== null) throw invalidFault([problem]);
  if (session.arrival !== null || session.registering)
    throw fault('conflict', 'This connection is registered already.');
  session.registering = true;
  const { envId, closed: signal } = session;
  try {
    if (dryRun) {
      const comparing = turns(envId, signal, () => compareManifest(context, session, caller, manifest));
      answer(await withProblems(sdk, comparing));
      return [];
    }
    const { warnings, flags } = await withProblems(
      sdk,
      turns(envId, signal, () => defineManifest(context, caller, { manifest, startedAt, bytes, signal })),
    );
    await deps.directory.refresh();
    if (flags.length > 0) notifyFlagsChanged(deps);
    // Before this connection counts as online, as its app knows its own flags.
    await notifyOtherInstances(context, session.envId, flags);
    const { id, process } = session.connection;
    const declares = manifestDeclarationKeys(manifest);
    const arrival = {
      id,
      envId: session.envId,
      appKey: caller.principal.id ?? '',
      instance,
      process,
      declares,
      startedAt,
    };
    const replaced = await insertConnection(deps, arrival);
    if (!session.open || sockets.draining) {
      await deleteConnections(deps, [id]);
      return replaced;
    }
    session.registered(arrival);
    answer({ environment: caller.env.name, connection: id, warnings });
    sockets.add(session);
    void releaseParked(context, session.envId);
    return replaced;
  } finally {
    session.registering = false;
  }
};
