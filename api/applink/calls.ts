/** The methods that an app may call: the schema of their params, and what they do. Called by requests.ts. */
import type { Caller } from '../../shared/access/principal.ts';
import { recordProgress, settleRunAnswers } from '../../shared/actions/runOutcome.ts';
import type { LocalConnection } from '../../shared/applink/localConnections.ts';
import {
  linkLimits,
  type AppCalls,
  type AppMethod,
  type AppNotifications,
  type RunAnswer,
} from '../../shared/applink/protocol.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import type { Deps } from '../../shared/deps.ts';
import { readFlagsForApp } from '../../shared/flags/read.ts';
import { reportItem } from '../../shared/items/reports/report.ts';
import { lookupIdSchema, nameSchema, nullable, strictObject, Type } from '../../shared/platform/core/schema.ts';
import { compileCheck } from '../../shared/platform/core/validate.ts';
import { deleteRecords, putRecords } from '../../shared/records/write.ts';

export interface AppRequestContext {
  readonly deps: Deps;
  readonly caller: Caller;
  readonly connection: LocalConnection;
}

type AppMethodHandler<M extends Exclude<AppMethod, 'app.register'>> = (
  context: AppRequestContext,
  params: unknown,
) => Promise<AppCalls[M]['result']>;

const batch = <T extends Parameters<typeof Type.Array>[0]>(items: T) =>
  Type.Array(items, { maxItems: linkLimits.batch });

/** The records themselves are checked by `putRecords`, like those that come over HTTP. */
const putParams = strictObject({ resource: nameSchema('The resource.'), records: batch(Type.Unknown()) });
const deleteParams = strictObject({
  resource: nameSchema('The resource.'),
  ids: batch(Type.String({ minLength: 1, maxLength: limits.recordIdMax })),
});
const checkPut = compileCheck(putParams);
const checkDelete = compileCheck(deleteParams);
const answerSchema = strictObject({
  run: lookupIdSchema('The run.'),
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Object({ code: Type.Integer(), message: Type.String() })),
});
const answersParams = strictObject({ answers: Type.Array(answerSchema, { maxItems: linkLimits.batch }) });
const listParams = strictObject({
  cursor: Type.Optional(nullable(nameSchema('The flag that the answer before ended with; null: from the first.'))),
});
const progressParams = strictObject({
  run: lookupIdSchema('The run.'),
  progress: nullable(Type.Number({ minimum: 0, maximum: 1 })),
  message: Type.Optional(nullable(Type.String({ maxLength: 10_000 }))),
});
const checkAnswers = compileCheck(answersParams);
const checkList = compileCheck(listParams);
const checkProgress = compileCheck(progressParams);

/** The params of what an app may call or notify, by method; `items.report` and `app.register` check their own. */
export const appParams = {
  'records.put': putParams,
  'records.delete': deleteParams,
  'run.answers': answersParams,
  'flags.list': listParams,
  'run.progress': progressParams,
} as const;

const putRecordsMethod: AppMethodHandler<'records.put'> = async ({ deps, caller }, params) => {
  const { resource, records } = checkPut(params);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `putRecords` checks each record
  return { stored: await putRecords(deps, caller, resource, records as AppCalls['records.put']['params']['records']) };
};

const deleteRecordsMethod: AppMethodHandler<'records.delete'> = async ({ deps, caller }, params) => {
  const { resource, ids } = checkDelete(params);
  return { deleted: await deleteRecords(deps, caller, resource, ids) };
};

const runAnswersMethod: AppMethodHandler<'run.answers'> = async ({ deps, caller, connection }, params) => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema above has checked it, but for the result, which is checked when the run is settled
  const given = checkAnswers(params).answers as RunAnswer[];
  return { settled: await settleRunAnswers(deps, caller.env.id, connection.connection.instance, given) };
};

const listFlagsMethod: AppMethodHandler<'flags.list'> = async ({ deps, caller }, params) => {
  const { cursor = null } = checkList(params);
  return readFlagsForApp(deps, caller.env, cursor);
};

export const appMethods: { readonly [M in Exclude<AppMethod, 'app.register'>]: AppMethodHandler<M> } = {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `reportItem` checks it
  'items.report': ({ deps, caller }, params) => reportItem(deps, caller, params as AppCalls['items.report']['params']),
  'records.put': putRecordsMethod,
  'records.delete': deleteRecordsMethod,
  'run.answers': runAnswersMethod,
  'flags.list': listFlagsMethod,
};

export const appNotifications: {
  readonly [M in keyof AppNotifications]: (context: AppRequestContext, params: unknown) => void;
} = {
  'run.progress': ({ deps, caller, connection }, params) => {
    const { run, progress, message = null } = checkProgress(params);
    recordProgress(deps, caller.env.id, connection.connection.instance, { run, progress, message });
  },
};
