/** The rows of the kill matrix (killMatrix.ts): brings runs of every kind to one step of their way, and lets them go on. */
import { until } from '../../support/until.ts';
import { newClient, type Client } from './client.ts';
import { Customer } from './customer.ts';
import { makeItems } from './load.ts';
import { listRuns } from './oracle.ts';
import { Recorder } from './recorder.ts';
import type { Run } from './run.ts';
import { HeardRuns } from './runs.ts';
import type { Site } from './site.ts';
import type { Stage } from './stage.ts';
import type { Unit } from './unit.ts';

export const steps = ['queued', 'accepted', 'handed over', 'acted', 'answered', 'settled'] as const;
export type Step = (typeof steps)[number];

/** `here`: sent to the API that has the socket; `there`: to the other one. */
const direct = ['here', 'there'] as const;

export interface Row {
  readonly step: Step;
  readonly stage: Stage;
  readonly customer: Customer;
  readonly item: string;
  readonly recorder: Recorder;
  readonly heard: HeardRuns;
  readonly clients: Readonly<Record<(typeof direct)[number], Client>>;
  /** Calls that wait for their results. */
  readonly calls: Promise<unknown>[];
}

/** Returns a client that calls one API as long as it is up, else the others. */
const clientAt = (site: Site, { env, journal, admin: { id, token } }: Stage, api: Unit): Client =>
  newClient(journal, () => (api.isUp && !api.frozen ? [site.baseOf(api, env)] : site.bases(env)), { id, token });

export const openRow = async (
  run: Run,
  site: Site,
  step: Step,
  [holder, other]: readonly [Unit, Unit],
): Promise<Row> => {
  const stage = await run.stage(site, `matrix-${step.replace(' ', '-')}`);
  const customer = await Customer.open(site, stage);
  const [item = ''] = await makeItems(stage.admin, 1);
  const heard = new HeardRuns();
  const recorder = new Recorder(stage.admin, { onMessage: heard.hear });
  await recorder.joined;
  return {
    step,
    stage,
    customer,
    item,
    recorder,
    heard,
    clients: { here: clientAt(site, stage, holder), there: clientAt(site, stage, other) },
    calls: [],
  };
};

const gates: Readonly<Record<Step, 'before' | 'after' | null>> = {
  queued: null,
  accepted: null,
  'handed over': 'before',
  acted: 'after',
  answered: 'after',
  settled: 'after',
};

export interface Cell {
  readonly row: Row;
  /** Names its runs. */
  readonly name: string;
  /** How many of each kind. */
  readonly count: number;
}

/** Requests `count` runs of an action and of its repeatable form. */
const ask = (
  { row: { step, item, calls }, name, count }: Cell,
  client: Client,
  kind: string,
  action: 'act' | 'job',
): void => {
  const gate = gates[step];
  for (let n = 0; n < count; n++) {
    for (const form of [action, `${action}Again`]) {
      const input = { mark: `${name}:${kind}:${form}:${String(n)}`, ...(gate === null ? {} : { cell: name, gate }) };
      const call = client.post('/actions', { action: form, item, input }).then(({ status, text, body }) => {
        const isDone = status === 200 && body.message === `Did ${input.mark}.`;
        if (!isDone && status !== 202) throw new Error(`${input.mark} was answered with ${String(status)} ${text}`);
        if (kind === 'queued' && body.queued !== true) throw new Error(`${input.mark} was not queued: ${text}`);
      });
      call.catch(() => undefined);
      calls.push(call);
    }
  }
};

const marked = async ({ row: { clients }, name }: Cell): Promise<{ status: string }[]> =>
  (await listRuns(clients.there)).filter(({ input }) => String(input.mark).startsWith(`${name}:`)) as {
    status: string;
  }[];

/** While the app is offline. */
export const askOffline = async (cell: Cell): Promise<void> => {
  if (cell.row.step === 'accepted') return;
  ask(cell, cell.row.clients.there, 'queued', 'act');
  await Promise.all(cell.row.calls);
};

/** Runs that come to their step by themselves, and stop there. */
export const askOnline = async (cell: Cell): Promise<void> => {
  const {
    row: { step, clients, customer },
    name,
    count,
  } = cell;
  if (step === 'queued' || step === 'accepted') return;
  for (const at of direct) ask(cell, clients[at], at, 'act');
  ask(cell, clients.here, 'background', 'job');
  const all = 8 * count;
  await customer.reached(name, step === 'handed over' ? 'received' : 'effect', all);
  if (step === 'answered') {
    customer.wire.hold('up');
    customer.pass(name, 'after');
    await customer.reached(name, 'answered', all);
  } else if (step === 'settled') {
    customer.wire.hold('down');
    customer.pass(name, 'after');
    await until(
      'they are settled',
      async () => (await marked(cell)).filter(({ status }) => status === 'succeeded').length === all,
      20_000,
    );
  }
};

/** Runs that are accepted while neither the workers nor the API with the socket can do anything about it. */
export const askFrozen = async (cell: Cell, site: Site, holder: Unit): Promise<void> => {
  const {
    clients: { here, there },
    calls,
  } = cell.row;
  for (const worker of site.workers) worker.freeze();
  ask(cell, here, 'background', 'job');
  await Promise.all(calls);
  holder.freeze();
  ask(cell, there, 'there', 'act');
  await until('they are accepted', async () => (await marked(cell)).length === 4 * cell.count, 20_000);
};

/** Lets them go on. */
export const letGo = ({ row: { customer }, name }: Cell): void => {
  customer.pass(name, 'before');
  customer.pass(name, 'after');
  customer.wire.release();
  customer.wire.accept();
};
