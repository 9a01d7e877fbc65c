/**
 * Reports of an app (`items.report` of the link): like `POST /items` by its key, but quick in any number, of a time that
 * has passed, and safe to repeat by their delivery. Called by api/applink.
 */
import { Fault, invalid } from '../../catalogue/errors.ts';
import { closed, time, Type, type Static } from '../../platform/core/schema.ts';
import { compile } from '../../platform/core/validate.ts';
import type { Caller } from '../../access/principal.ts';
import type { DomainDeps } from '../../settings/deps.ts';
import type { AppCalls } from '../../applink/protocol.ts';
import { checkAllowed, isDelivered, performCreates, type Asked } from '../perform/create.ts';
import { expireDeliveries, readDeliveries, type Delivered } from './deliveries.ts';
import { checkData, createInput } from '../operations/create.ts';
import { openReportQueue, type ReportQueue } from './reportQueue.ts';

export const reportInput = closed({
  ...createInput.properties,
  at: Type.Optional(time('When it happened; now when absent.')),
  delivery: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Makes a repeat answer the first answer, for 24 hours.' })),
});

type ReportInput = Static<typeof reportInput>;
type Answer = AppCalls['items.report']['result'];

/** A clock that goes ahead is forgiven so much; what happened is then told to have happened now. */
const aheadMs = 300_000;
/** A delivery that another process writes at the same time makes one more turn; more don't come in fact. */
const turnsMax = 5;

interface Report {
  readonly input: ReportInput;
  readonly at: number;
  readonly caller: Caller;
}

const typed = compile(reportInput);

const checkReport = (given: unknown, now: number): ReportInput => {
  const input = typed(given);
  checkData(input.data ?? {});
  if (input.at !== undefined && input.at > now + aheadMs) throw invalid('at', 'must not be in the future');
  return input;
};

const deliveryOf = ({ input }: Report): string[] => (input.delivery === undefined ? [] : [input.delivery]);

/** What reports of one key ask for together; the first of them makes the item when it is new. */
const askedOf = (reports: readonly Report[]): Asked => {
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
    deliveries: reports.flatMap((report) => deliveryOf(report).map((delivery) => ({ delivery, first: report === first }))),
  };
};

/** Reports of a change that are to be written now: not answered before, and of a delivery only the first. */
const openOf = (reports: readonly Report[], answers: ReadonlyMap<Report, Answer | Error>): Report[] => {
  const seen = new Set<string>();
  return reports.filter((report) => {
    const { delivery } = report.input;
    if (answers.has(report) || (delivery !== undefined && seen.has(delivery))) return false;
    if (delivery !== undefined) seen.add(delivery);
    return true;
  });
};

type Answers = Map<Report, Answer | Error>;

/** Answers the reports whose deliveries are there already; those that stay open are what is to be written. */
const answerRepeats = async (deps: DomainDeps, env: number, changes: readonly (readonly Report[])[], answers: Answers): Promise<void> => {
  const asked = changes.flat().filter((report) => !answers.has(report));
  const known = await readDeliveries(deps.db, env, [...new Set(asked.flatMap(deliveryOf))], deps.clock.now());
  for (const report of asked) {
    const answer = known.get(report.input.delivery ?? '');
    if (answer !== undefined) answers.set(report, answer);
  }
};

/** One turn: writes what is open; answers whether a delivery was written elsewhere meanwhile, so that another is needed. */
const turn = async (deps: DomainDeps, caller: Caller, changes: readonly (readonly Report[])[], answers: Answers): Promise<boolean> => {
  await answerRepeats(deps, caller.env.id, changes, answers);
  const open = changes.map((reports) => openOf(reports, answers)).filter((reports) => reports.length > 0);
  const results = await performCreates(deps, caller, open.map(askedOf));
  let repeat = false;
  for (const [i, reports] of open.entries()) {
    const result = results[i] ?? new Error('A change was left without a result.');
    if (isDelivered(result)) {
      await expireDeliveries(deps.db, caller.env.id, reports.flatMap(deliveryOf), deps.clock.now());
      repeat = true;
    } else for (const [j, report] of reports.entries()) answers.set(report, result instanceof Error ? result : { item: result.item.id, created: result.isNew && j === 0 });
  }
  // A delivery that came twice in one change was written once: the other is answered as a repeat.
  return repeat || changes.flat().some((report) => !answers.has(report));
};

const writeReports = async (deps: DomainDeps, changes: readonly (readonly Report[])[]): Promise<(Answer | Error)[][]> => {
  const answers: Answers = new Map();
  const caller = changes[0]?.[0]?.caller;
  try {
    for (let turns = 0; caller !== undefined && turns < turnsMax && (await turn(deps, caller, changes, answers)); turns++);
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error));
    for (const report of changes.flat()) if (!answers.has(report)) answers.set(report, failure);
  }
  return changes.map((reports) => reports.map((report) => answers.get(report) ?? new Error('A report was left without an answer.')));
};

/** Of a process: one by environment and app key, as what one key reports is recorded as done by that key. */
const queuesOf = new WeakMap<DomainDeps, Map<string, ReportQueue<Report, Answer>>>();

const queueFor = (deps: DomainDeps, { env, principal }: Caller): ReportQueue<Report, Answer> => {
  const all = queuesOf.get(deps) ?? new Map<string, ReportQueue<Report, Answer>>();
  queuesOf.set(deps, all);
  const name = `${String(env.id)} ${principal.id ?? ''}`;
  const known = all.get(name) ?? openReportQueue<Report, Answer>((changes) => writeReports(deps, changes));
  all.set(name, known);
  return known;
};

/** The first answer to this delivery, when there is one: a repeat is answered although it couldn't be reported any more. */
const firstAnswer = async ({ db, clock }: DomainDeps, { env }: Caller, { delivery }: ReportInput): Promise<Delivered | undefined> =>
  delivery === undefined ? undefined : (await readDeliveries(db, env.id, [delivery], clock.now())).get(delivery);

/**
 * Creates an item, or adds an occurrence to the one with the same key; answers once that is committed. Reports of one key
 * within 250 ms are one change, recorded under the request of the first. Throws the fault that stands in the way.
 */
export const reportItem = async (deps: DomainDeps, caller: Caller, given: AppCalls['items.report']['params']): Promise<Answer> => {
  const now = deps.clock.now();
  const input = checkReport(given, now);
  try {
    checkAllowed(caller, input);
  } catch (error) {
    const answer = error instanceof Fault ? await firstAnswer(deps, caller, input) : undefined;
    if (answer === undefined) throw error;
    return answer;
  }
  const key = input.key === undefined ? null : `${input.inbox} ${input.key}`;
  return queueFor(deps, caller).add({ input, at: Math.min(input.at ?? now, now), caller }, key);
};
