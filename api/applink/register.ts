/** `app.register`: takes over what the app declares and makes its socket one that is called. Called by requests.ts. */
import { administered, administratorOf } from '../../shared/settings/administer.ts';
import type { Caller } from '../../shared/access/principal.ts';
import { declaredBy } from '../../shared/applink/declares.ts';
import { arrive, leave } from '../../shared/applink/presence.ts';
import type { AppCalls, Json } from '../../shared/applink/protocol.ts';
import { Fault, fault, type Detail } from '../../shared/catalogue/errors.ts';
import { jsonProblem } from '../../shared/platform/core/guard.ts';
import { closed, time, Type } from '../../shared/platform/core/schema.ts';
import { compile, invalidDetails } from '../../shared/platform/core/validate.ts';
import { defineEnvironment, type Defined } from '../../shared/settings/environments/define.ts';
import type { Manifest } from '../../shared/environments/manifest.ts';
import { flagView } from '../../shared/flags/model.ts';
import { releaseForApp } from '../../shared/platform/outbox/claims.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import type { AppContext } from './context.ts';
import type { AppSession } from './session.ts';

const text = (description: string) => Type.String({ minLength: 1, maxLength: 100, pattern: '\\S', description });

const check = compile(closed({
  manifest: Type.Object({}, { description: 'What the app declares; its JSON Schema is at /manifest.schema.json.' }),
  instance: text('Made at the process’s start and kept over reconnects.'),
  startedAt: time('When the process was started.'),
  sdk: text('Name and version of what speaks.'),
}));

/** The problems of a manifest, told apart from those of the other params. */
export class ManifestRefused extends Error {
  declare readonly problems: readonly Detail[];

  constructor(message: string, problems: readonly Detail[]) {
    super(message);
    this.problems = problems;
  }
}

const define = async ({ deps }: AppContext, caller: Caller, { manifest, startedAt }: { manifest: unknown; startedAt: number }): Promise<Defined> => {
  const now = deps.clock.now();
  try {
    // A clock that goes ahead must not keep every later version out.
    const declared = { environment: caller.env.name, manifest, startedAt: Math.min(startedAt, now) };
    return await administered(deps.db, deps.bus, (tx) => defineEnvironment(tx, administratorOf(caller, now), declared));
  } catch (error) {
    if (error instanceof Fault && error.code === 'invalid') throw new ManifestRefused(error.message, error.extra.details ?? []);
    throw error;
  }
};

/** Begins what waited for the app, without keeping the app waiting. */
const release = async ({ deps: { db, bus, clock, log } }: AppContext, env: number): Promise<void> => {
  try {
    while ((await releaseForApp(db, env, clock.now())) > 0) bus.publish(channels.nudge, 'jobs');
  } catch (error) {
    log.debug({ err: error, env }, 'what waits for an app could not be released; the sweep will do it');
  }
};

/** Instances that are there already hear of flags that this one declares otherwise. */
const tellOthers = async ({ deps: { link, flags, directory, clock, log } }: AppContext, number: number, keys: readonly string[]): Promise<void> => {
  try {
    const env = directory.environmentById(number);
    if (env === undefined || keys.length === 0 || !(await link.online(number))) return;
    for (const key of keys) {
      const held = await flags.get(env, key);
      if (held !== undefined) link.notify(number, 'flags.changed', { flag: flagView(held.flag, clock.now()) as unknown as Json });
    }
  } catch (error) {
    log.debug({ err: error, env: number }, 'other instances could not be told of flags; they ask for them all now and then');
  }
};

/** `answer` is called at the moment from which on the socket may be called. */
export const register = async (context: AppContext, session: AppSession, caller: Caller, params: unknown, answer: (result: AppCalls['app.register']['result']) => void): Promise<readonly { readonly id: string; readonly process: string }[]> => {
  const { deps, sockets } = context;
  const { manifest, instance, startedAt, sdk } = check(params);
  const problem = jsonProblem({ instance, sdk });
  if (problem !== null) throw invalidDetails([problem]);
  if (session.arrival !== null || session.registering) throw fault('conflict', 'This connection is registered already.');
  session.registering = true;
  try {
    const { warnings, flags } = await define(context, caller, { manifest, startedAt });
    await deps.directory.refresh();
    // Before this one counts as there: it has just said so itself.
    await tellOthers(context, session.env, flags);
    const { id, process } = session.connection;
    const declares = declaredBy(manifest as Manifest);
    const arrival = { id, env: session.env, appKey: caller.principal.id ?? '', instance, process, declares, startedAt };
    const replaced = await arrive(deps, arrival);
    if (!session.open || sockets.draining) {
      await leave(deps, [id]);
      return replaced;
    }
    session.registered(arrival);
    answer({ environment: caller.env.name, connection: id, warnings });
    sockets.add(session);
    void release(context, session.env);
    return replaced;
  } finally {
    session.registering = false;
  }
};
