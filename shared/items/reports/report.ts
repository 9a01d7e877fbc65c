/**
 * Reports of an app (`items.report` on the app link): like `POST /items`, but batched, with the time of the occurrence, and
 * safe to repeat by a delivery id, whose answers are kept. Called by api/applink.
 */
import type { Caller } from '../../accounts/access/principal.ts';
import type { DomainDeps } from '../../accounts/deps.ts';
import type { AppCalls } from '../../app/link/protocol.ts';
import { Fault, invalidAt } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { getOrCreate } from '../../platform/caches.ts';
import type { Db } from '../../platform/db/knex.ts';
import { executeStatement, queryRows, statement } from '../../platform/db/sql.ts';
import { type Static, strictObject, timeSchema, Type } from '../../platform/json/schema.ts';
import { compileCheck } from '../../platform/json/validate.ts';
import type { ReportedOccurrence } from '../operations/addOccurrences.ts';
import { cleanCreateInput, createInput, requireDataLimits, toOccurrence } from '../operations/create.ts';
import { type CreateRequest, createItems, isDuplicateDelivery, requireMayCreate } from '../perform/create.ts';
import { type ReportQueue, createReportQueue } from './reportQueue.ts';

const findDeliveriesSql = statement(
  'deliveries.find',
  'select delivery, item, created from deliveries where env = $1 and delivery = any($2) and created_at > $3',
);
const deleteExpiredDeliveriesSql = statement(
  'deliveries.expire',
  'delete from deliveries where env = $1 and delivery = any($2) and created_at <= $3',
);

interface DeliveryResult {
  readonly item: string;
  readonly created: boolean;
}

/** Returns the results of those of the deliveries that have one. */
const readDeliveries = async (
  db: Db,
  envId: number,
  deliveries: readonly string[],
  now: number,
): Promise<Map<string, DeliveryResult>> => {
  if (deliveries.length === 0) return new Map();
  const found = await queryRows<DeliveryResult & { delivery: string }>(db, findDeliveriesSql, [
    envId,
    deliveries,
    now - limits.deliveryMs,
  ]);
  return new Map(found.map(({ delivery, item, created }) => [delivery, { item, created }]));
};

/** Deletes expired results of the deliveries, so that new ones can be inserted. */
const expireDeliveries = (db: Db, envId: number, deliveries: readonly string[], now: number): Promise<number> =>
  executeStatement(db, deleteExpiredDeliveriesSql, [envId, deliveries, now - limits.deliveryMs]);

export const reportInput = strictObject({
  ...createInput.properties,
  at: Type.Optional(timeSchema('When it happened; now when absent.')),
  delivery: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Makes a repeat answer the first answer, for 24 hours.' }),
  ),
});

type ReportInput = Static<typeof reportInput>;
type ReportResult = AppCalls['items.report']['result'];

/** Milliseconds by which an app's clock may be ahead; such a report counts as of now. */
const clockSkewMs = 300_000;
/** Each delivery that another process writes at the same time takes one more round; more than one is rare. */
const roundsMax = 5;

interface Report {
  readonly input: ReportInput;
  readonly occurrence: ReportedOccurrence;
  readonly caller: Caller;
}

const checkReportBody = compileCheck(reportInput);

const parseReport = (given: unknown, now: number): ReportInput => {
  const input = checkReportBody(given);
  requireDataLimits(input.data ?? {});
  if (input.at !== undefined && input.at > now + clockSkewMs) throw invalidAt('at', 'must not be in the future');
  return cleanCreateInput(input);
};

const reportDelivery = ({ input }: Report): string[] => (input.delivery === undefined ? [] : [input.delivery]);

/** Returns one request for reports of one key, whose first report creates the item when it is new. */
const toCreateRequest = (reports: readonly Report[]): CreateRequest => {
  const [first, ...others] = reports;
  if (first === undefined) throw new Error('A change is made of at least one report.');
  const { at: _, delivery: __, ...input } = first.input;
  return {
    input,
    happened: [first.occurrence, ...others.map(({ occurrence }) => occurrence)],
    deliveries: reports.flatMap((report) =>
      reportDelivery(report).map((delivery) => ({ delivery, first: report === first })),
    ),
  };
};

/** Returns the reports of a change without a result, and of each delivery only the first, in the order in which they happened. */
const unansweredReports = (
  reports: readonly Report[],
  answers: ReadonlyMap<Report, ReportResult | Error>,
): Report[] => {
  const seen = new Set<string>();
  const open = reports.filter((report) => {
    const { delivery } = report.input;
    if (answers.has(report) || (delivery !== undefined && seen.has(delivery))) return false;
    if (delivery !== undefined) seen.add(delivery);
    return true;
  });
  return open.toSorted((a, b) => a.occurrence.at - b.occurrence.at);
};

type ReportResults = Map<Report, ReportResult | Error>;

/** Sets the results of reports whose deliveries are stored already. */
const answerRepeatedDeliveries = async (
  deps: DomainDeps,
  envId: number,
  changes: readonly (readonly Report[])[],
  answers: ReportResults,
): Promise<void> => {
  const open = changes.flat().filter((report) => !answers.has(report));
  const known = await readDeliveries(deps.db, envId, [...new Set(open.flatMap(reportDelivery))], deps.clock.now());
  for (const report of open) {
    const answer = known.get(report.input.delivery ?? '');
    if (answer !== undefined) answers.set(report, answer);
  }
};

/** Writes the open reports of one round, and returns whether a further round is needed because another process wrote one of the deliveries. */
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
  // Of a delivery that is twice in one change the second report is answered as a repeat, in the next round.
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

const reportBytes = ({ occurrence: { title, data } }: Report): number => title.length + data.length;

/** Queues of a process by environment and app key, as events name the app key that reported. */
const queuesByDeps = new WeakMap<DomainDeps, Map<string, ReportQueue<Report, ReportResult>>>();

const getReportQueue = (deps: DomainDeps, { env, principal }: Caller): ReportQueue<Report, ReportResult> => {
  const all = getOrCreate(queuesByDeps, deps, () => new Map<string, ReportQueue<Report, ReportResult>>());
  const name = `${String(env.id)} ${principal.id ?? ''}`;
  return getOrCreate(all, name, () => createReportQueue((changes) => writeReports(deps, changes), reportBytes));
};

/** Returns the stored result of the delivery, which a repeat gets even when the report would be refused now. */
const findFirstResult = async (
  { db, clock }: DomainDeps,
  { env }: Caller,
  { delivery }: ReportInput,
): Promise<DeliveryResult | undefined> =>
  delivery === undefined ? undefined : (await readDeliveries(db, env.id, [delivery], clock.now())).get(delivery);

/**
 * Creates an item, or adds an occurrence to the one with the same key; resolves when that is committed. Reports of one key
 * within `limits.reportWindowMs` are one change, by the request of the first. Throws the fault that prevents the effect.
 */
export const reportItem = async (
  deps: DomainDeps,
  caller: Caller,
  given: AppCalls['items.report']['params'],
): Promise<ReportResult> => {
  const now = deps.clock.now();
  const input = parseReport(given, now);
  let inbox;
  try {
    inbox = requireMayCreate(caller, input);
  } catch (error) {
    const answer = error instanceof Fault ? await findFirstResult(deps, caller, input) : undefined;
    if (answer === undefined) throw error;
    return answer;
  }
  const key = input.key === undefined ? null : `${input.inbox} ${input.key}`;
  const occurrence = toOccurrence(inbox, input, Math.min(input.at ?? now, now));
  return getReportQueue(deps, caller).add({ input, occurrence, caller }, key);
};
