/** What an app may ask of the service: each method with its params and its work. Called by requests.ts. */
import type { Caller } from '../../shared/access/principal.ts';
import type { HeldConnection } from '../../shared/applink/held.ts';
import { linkLimits, type AppCalls, type AppMethod, type AppNotifications, type RunAnswer } from '../../shared/applink/protocol.ts';
import { noteProgress, takeAnswers } from '../../shared/actions/answers.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { closed, lookupId, name, nullable, Type } from '../../shared/platform/core/schema.ts';
import { compile } from '../../shared/platform/core/validate.ts';
import type { Deps } from '../../shared/deps.ts';
import { flagsForApp } from '../../shared/flags/read.ts';
import { reportItem } from '../../shared/items/reports/report.ts';
import { deleteRecords, putRecords } from '../../shared/records/write.ts';

export interface Asking {
  readonly deps: Deps;
  readonly caller: Caller;
  readonly held: HeldConnection;
}

type Method<M extends Exclude<AppMethod, 'app.register'>> = (asking: Asking, params: unknown) => Promise<AppCalls[M]['result']>;

const batch = <T extends Parameters<typeof Type.Array>[0]>(items: T) => Type.Array(items, { maxItems: linkLimits.batch });

/** The records themselves are checked where they are stored, like those that come over HTTP. */
const checkPut = compile(closed({ resource: name('The resource.'), records: batch(Type.Unknown()) }));
const checkDelete = compile(closed({ resource: name('The resource.'), ids: batch(Type.String({ minLength: 1, maxLength: limits.recordIdMax })) }));
const answerSchema = closed({
  run: lookupId('The run.'),
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Object({ code: Type.Integer(), message: Type.String() })),
});
const checkAnswers = compile(closed({ answers: Type.Array(answerSchema, { maxItems: linkLimits.batch }) }));
const checkList = compile(closed({ cursor: Type.Optional(name('The flag that the answer before ended with.')) }));
const checkProgress = compile(closed({
  run: lookupId('The run.'),
  progress: nullable(Type.Number({ minimum: 0, maximum: 1 })),
  message: Type.Optional(nullable(Type.String({ maxLength: 10_000 }))),
}));

const put: Method<'records.put'> = async ({ deps, caller }, params) => {
  const { resource, records } = checkPut(params);
  return { stored: await putRecords(deps, caller, resource, records as AppCalls['records.put']['params']['records']) };
};

const remove: Method<'records.delete'> = async ({ deps, caller }, params) => {
  const { resource, ids } = checkDelete(params);
  return { deleted: await deleteRecords(deps, caller, resource, ids) };
};

const answers: Method<'run.answers'> = async ({ deps, caller, held }, params) => {
  const given = checkAnswers(params).answers as RunAnswer[];
  return { settled: await takeAnswers(deps, caller.env.id, held.connection.instance, given) };
};

const flags: Method<'flags.list'> = async ({ deps, caller }, params) => {
  const { cursor = null } = checkList(params);
  return flagsForApp(deps, caller.env, cursor);
};

export const methods: { readonly [M in Exclude<AppMethod, 'app.register'>]: Method<M> } = {
  'items.report': ({ deps, caller }, params) => reportItem(deps, caller, params as AppCalls['items.report']['params']),
  'records.put': put,
  'records.delete': remove,
  'run.answers': answers,
  'flags.list': flags,
};

export const notifications: { readonly [M in keyof AppNotifications]: (asking: Asking, params: unknown) => void } = {
  'run.progress': ({ deps, caller, held }, params) => {
    const { run, progress, message = null } = checkProgress(params);
    noteProgress(deps, caller.env.id, held.connection.instance, { run, progress, message });
  },
};
