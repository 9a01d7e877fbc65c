/**
 * Reports of an app (`items.report` of the link): like `POST /items` by its key, but quick in any number, of a time that
 * has passed, and safe to repeat by their delivery. Called by api/applink.
 */
import { getOrCreate } from '../../platform/core/maps.ts';
import { Fault, invalidAt } from '../../catalogue/errors.ts';
import { strictObject, timeSchema, Type, type Static } from '../../platform/core/schema.ts';
import { compileCheck } from '../../platform/core/validate.ts';
import type { Caller } from '../../access/principal.ts';
import type { DomainDeps } from '../../settings/deps.ts';
import type { AppCalls } from '../../applink/protocol.ts';
import { requireMayCreate, isDuplicateDelivery, createItems, type CreateRequest } from '../perform/create.ts';
import { expireDeliveries, readDeliveries, type DeliveryResult } from './deliveries.ts';
import { requireDataLimits, createInput } from '../operations/create.ts';
import { createReportQueue, type ReportQueue } from './reportQueue.ts';

const reportInput = strictObject({
  ...createInput.properties,
  at: Type.Optional(timeSchema('When it happened; now when absent.')),
  delivery: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Makes a repeat answer the first answer, for 24 hours.' }),
  ),
});

type ReportInput = Static<typeof reportInput>;
type ReportResult = AppCalls['items.report']['result'];

/** A clock that goes ahead is forgiven so much; what happened is then told to have happened now. */
const clockSkewMs = 300_000;
/** A delivery that another process writes at the same time makes one more turn; more don't come in fact. */
const roundsMax = 5;

interface Report {
  readonly input: ReportInput;
  readonly at: number;
  readonly caller: Caller;
}

const checkReportBody = compileCheck(reportInput);

const parseReport = (given: unknown, now: number): ReportInput => {
  const input = checkReportBody(given);
  requireDataLimits(input.data ?? {});
  if (input.at !== undefined && input.at > now + clockSkewMs) throw invalidAt('at', 'must not be in the future');
  return input;
};

const reportDelivery = ({ input }: Report): string[] => (input.delivery === undefined ? [] : [input.delivery]);

/** What reports of one key ask for together; the first of them makes the item when it is new. */
const toCreateRequest = (reports: readonly Report[]): CreateRequest => {
  const [first] = reports;
  if (first === undefined) throw new Error('A change is made of at least one report.');
  const { at: _, delivery: __, ...input } = first.input;
  const times = reports.map(({ at }) => at);
  return {
    input,
    happened: {
      count: reports.length,
      from: times.reduce((a, b) => Math.min(a, b)),
      to: times.reduce((a, b) => Math.max(a, b)),
      users: [...new Set(reports.flatMap(({ input: { user } }) => (user === undefined ? [] : [user])))],
    },
    deliveries: reports.flatMap((report) =>
      reportDelivery(report).map((delivery) => ({ delivery, first: report === first })),
    ),
  };
};

/** Reports of a change that are to be written now: not answered before, and of a delivery only the first. */
const unansweredReports = (
  reports: readonly Report[],
  answers: ReadonlyMap<Report, ReportResult | Error>,
): Report[] => {
  const seen = new Set<string>();
  return reports.filter((report) => {
    const { delivery } = report.input;
    if (answers.has(report) || (delivery !== undefined && seen.has(delivery))) return false;
    if (delivery !== undefined) seen.add(delivery);
    return true;
  });
};

type ReportResults = Map<Report, ReportResult | Error>;

/** Answers the reports whose deliveries are there already; those that stay open are what is to be written. */
const answerRepeatedDeliveries = async (
  deps: DomainDeps,
  env: number,
  changes: readonly (readonly Report[])[],
  answers: ReportResults,
): Promise<void> => {
  const asked = changes.flat().filter((report) => !answers.has(report));
  const known = await readDeliveries(deps.db, env, [...new Set(asked.flatMap(reportDelivery))], deps.clock.now());
  for (const report of asked) {
    const answer = known.get(report.input.delivery ?? '');
    if (answer !== undefined) answers.set(report, answer);
  }
};

/** One turn: writes what is open; answers whether a delivery was written elsewhere meanwhile, so that another is needed. */
const writeRound = async (
  deps: DomainDeps,
  caller: Caller,
  changes: readonly (readonly Report[])[],
  answers: ReportResults,
): Promise<boolean> => {
  await answerRepeatedDeliveries(deps, caller.env.id, changes, answers);
  const open = changes.map((reports) => unansweredReports(reports, answers)).filter((reports) => reports.length > 0);
  const results = await createItems(deps, caller, open.map(toCreateRequest));
  let repeat = false;
  for (const [i, reports] of open.entries()) {
    const result = results[i] ?? new Error('A change was left without a result.');
    if (isDuplicateDelivery(result)) {
      await expireDeliveries(deps.db, caller.env.id, reports.flatMap(reportDelivery), deps.clock.now());
      repeat = true;
    } else
      for (const [j, report] of reports.entries())
        answers.set(
          report,
          result instanceof Error ? result : { item: result.item.id, created: result.isNew && j === 0 },
        );
  }
  // A delivery that came twice in one change was written once: the other is answered as a repeat.
  return repeat || changes.flat().some((report) => !answers.has(report));
};

const writeReports = async (
  deps: DomainDeps,
  changes: readonly (readonly Report[])[],
): Promise<(ReportResult | Error)[][]> => {
  const answers: ReportResults = new Map();
  const caller = changes[0]?.[0]?.caller;
  try {
    for (
      let turns = 0;
      caller !== undefined && turns < roundsMax && (await writeRound(deps, caller, changes, answers));
      turns++
    );
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error));
    for (const report of changes.flat()) if (!answers.has(report)) answers.set(report, failure);
  }
  return changes.map((reports) =>
    reports.map((report) => answers.get(report) ?? new Error('A report was left without an answer.')),
  );
};

/** Of a process: one by environment and app key, as what one key reports is recorded as done by that key. */
const queuesByDeps = new WeakMap<DomainDeps, Map<string, ReportQueue<Report, ReportResult>>>();

const getReportQueue = (deps: DomainDeps, { env, principal }: Caller): ReportQueue<Report, ReportResult> => {
  const all = getOrCreate(queuesByDeps, deps, () => new Map<string, ReportQueue<Report, ReportResult>>());
  const name = `${String(env.id)} ${principal.id ?? ''}`;
  return getOrCreate(all, name, () => createReportQueue((changes) => writeReports(deps, changes)));
};

/** The first answer to this delivery, when there is one: a repeat is answered although it couldn't be reported any more. */
const findFirstResult = async (
  { db, clock }: DomainDeps,
  { env }: Caller,
  { delivery }: ReportInput,
): Promise<DeliveryResult | undefined> =>
  delivery === undefined ? undefined : (await readDeliveries(db, env.id, [delivery], clock.now())).get(delivery);

/**
 * Creates an item, or adds an occurrence to the one with the same key; answers once that is committed. Reports of one key
 * within 250 ms are one change, recorded under the request of the first. Throws the fault that stands in the way.
 */
export const reportItem = async (
  deps: DomainDeps,
  caller: Caller,
  given: AppCalls['items.report']['params'],
): Promise<ReportResult> => {
  const now = deps.clock.now();
  const input = parseReport(given, now);
  try {
    requireMayCreate(caller, input);
  } catch (error) {
    const answer = error instanceof Fault ? await findFirstResult(deps, caller, input) : undefined;
    if (answer === undefined) throw error;
    return answer;
  }
  const key = input.key === undefined ? null : `${input.inbox} ${input.key}`;
  return getReportQueue(deps, caller).add({ input, at: Math.min(input.at ?? now, now), caller }, key);
};
