/** The methods that an app may call: the schema of their params, and what they do. Called by requests.ts. */
import type { Caller } from '../../shared/accounts/access/principal.ts';
import { parseRunAnswer } from '../../shared/app/link/callOutcome.ts';
import type { LocalConnection } from '../../shared/app/link/localConnections.ts';
import {
  linkLimits,
  type AppCalls,
  type AppMethod,
  type AppNotifications,
  type RunAnswer,
} from '../../shared/app/link/protocol.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import type { Deps } from '../../shared/deps.ts';
import { readFlagsForApp } from '../../shared/flags/read.ts';
import { reportItem } from '../../shared/items/reports/report.ts';
import { textProblem } from '../../shared/platform/json/jsonLimits.ts';
import {
  lookupIdSchema,
  nameSchema,
  nullable,
  strictObject,
  Type,
  type TSchema,
} from '../../shared/platform/json/schema.ts';
import { compileCheck } from '../../shared/platform/json/validate.ts';
import { deleteRecords, putRecords } from '../../shared/records/write.ts';
import { settleRunAnswers } from '../../shared/runs/call/runAnswers.ts';
import { recordProgress } from '../../shared/runs/call/runOutcome.ts';

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
const runAnswer = <T extends TSchema>(error: T) =>
  strictObject({
    run: lookupIdSchema('The run.'),
    attempt: Type.Optional(
      Type.Integer({
        description:
          'The attempt that the answer is of, for answers that all instances share: then it counts from any of them.',
      }),
    ),
    result: Type.Optional(Type.Unknown()),
    error: Type.Optional(error),
  });
const answersParams = strictObject({
  answers: batch(runAnswer(Type.Object({ code: Type.Integer(), message: Type.String() }))),
});
/** Any error passes: one that is wrong makes its own answer garbled, and refuses no other. */
const checkAnswers = compileCheck(strictObject({ answers: batch(runAnswer(Type.Unknown())) }));
const listParams = strictObject({
  cursor: Type.Optional(nullable(nameSchema('The flag that the answer before ended with; null: from the first.'))),
});
const progressParams = strictObject({
  run: lookupIdSchema('The run.'),
  progress: nullable(Type.Number({ minimum: 0, maximum: 1 })),
  message: Type.Optional(nullable(Type.String({ maxLength: 10_000 }))),
});
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

/** Garbled answers of one request that the app is notified of. */
const problemsMax = 20;

/** Returns whether the id may be that of a run: PostgreSQL could not look for any other. */
const isStorableId = (run: string): boolean => textProblem(run) === null;

const runAnswersMethod: AppMethodHandler<'run.answers'> = async ({ deps, caller, connection }, params) => {
  const given = checkAnswers(params).answers.map(parseRunAnswer);
  const answers: RunAnswer[] = given.map(({ answer }) => answer).filter(({ run }) => isStorableId(run));
  const settled = await settleRunAnswers(deps, caller.env.id, connection.connection.instance, answers);
  const garbled = given.filter(({ isGarbled }) => isGarbled).slice(0, problemsMax);
  if (garbled.length > 0)
    connection.notify('app.problem', {
      method: 'action.run',
      problems: garbled.map(({ answer: { run } }) => ({
        path: '',
        message: `the answer of ${run} is not one of JSON-RPC 2.0, or has a value that can’t be stored`,
      })),
    });
  const unknown = given.map(({ answer }) => answer.run).filter((run) => !isStorableId(run));
  return { settled: [...settled, ...unknown] };
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
    recordProgress(deps, caller.env.id, connection.connection, { run, progress, message });
  },
};
