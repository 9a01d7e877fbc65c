/**
 * A customer's app as a process of its own, built with the SDK alone: writes each delivery and each effect to a file that is
 * on the disk before it goes on, and stops or dies where the input of a run requires it. Started and killed by customer.ts.
 */
import { existsSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { ActionFailed, connect, defineApp, type RunCall } from '../../../shared/sdk/index.ts';
import type { AppLine } from './customer.ts';
import { pause } from './pause.ts';

const { BASE_URL: url = '', APP_KEY: key = '', APP_DIR: dir = '' } = process.env;
/** It pushes so many records at its start. */
const records = Number(process.env['APP_RECORDS'] ?? 0);

/** The steps of a run of this app before its effect; with none of them, it only performs the effect. */
export interface RunInput {
  /** Names the run in the log, as its caller may not know its id yet. */
  readonly mark?: string;
  /** Waits there until `<cell>-<gate>` lies in the app's folder. */
  readonly cell?: string;
  readonly gate?: 'before' | 'after';
  /** How long the effect takes. */
  readonly ms?: number;
  /** Kills itself there, the first time that the run comes. */
  readonly die?: 'before' | 'after';
  /** Refuses so often, in a way that may be tried again. */
  readonly busy?: number;
}

const input = {
  type: 'object',
  additionalProperties: false,
  properties: {
    mark: { type: 'string' },
    cell: { type: 'string' },
    gate: { enum: ['before', 'after'] },
    ms: { type: 'integer' },
    die: { enum: ['before', 'after'] },
    busy: { type: 'integer' },
  },
} as const;

const logPath = join(dir, 'log');
const deliveries = new Map<string, number>();
if (existsSync(logPath)) {
  for (const line of readFileSync(logPath, 'utf8').split('\n')) {
    if (line.includes('"received"')) {
      const { run } = JSON.parse(line) as AppLine;
      deliveries.set(run, (deliveries.get(run) ?? 0) + 1);
    }
  }
}
const file = await open(logPath, 'a');
let waiting: string[] = [];
let writing: Promise<void> = Promise.resolve();
let next: Promise<void> | null = null;

/** Resolves when the line is on the disk; lines that come meanwhile share one write. */
const write = (line: AppLine): Promise<void> => {
  waiting.push(`${JSON.stringify(line)}\n`);
  next ??= writing.then(() => {
    const lines = waiting.join('');
    waiting = [];
    next = null;
    writing = file.appendFile(lines).then(() => file.datasync());
    return writing;
  });
  return next;
};

const pass = async (gate: 'before' | 'after', { cell, gate: stop, die }: RunInput, first: boolean): Promise<void> => {
  if (die === gate && first) process.kill(process.pid, 'SIGKILL');
  while (stop === gate && !existsSync(join(dir, `${cell ?? ''}-${gate}`))) await pause(20);
};

/** An answer has been sent this long after the handler has returned. */
const sentMs = 50;

const act = async ({ run, attempt, action, record, input: given }: RunCall<RunInput>): Promise<string> => {
  const line = (kind: AppLine['kind']): AppLine => ({
    kind,
    run,
    mark: given.mark ?? null,
    attempt,
    action,
    record: record?.id ?? null,
    at: Date.now(),
    pid: process.pid,
  });
  const before = deliveries.get(run) ?? 0;
  deliveries.set(run, before + 1);
  await write(line('received'));
  await pass('before', given, before === 0);
  if (given.ms !== undefined) await pause(given.ms);
  if (before < (given.busy ?? 0)) throw new ActionFailed('Busy.', { retryable: true });
  await write(line('effect'));
  await pass('after', given, before === 0);
  setTimeout(() => void write(line('answered')), sentMs);
  return `Did ${given.mark ?? run}.`;
};

const run = (call: RunCall<unknown>): Promise<string> => act(call as RunCall<RunInput>);
const app = defineApp({
  resources: { thing: { source: 'stored', label: 'Thing' } },
  inboxes: { mail: { label: 'Mail' } },
  actions: {
    act: { input, run },
    actAgain: { input, repeatable: true, run },
    job: { input, background: true, run },
    jobAgain: { input, background: true, repeatable: true, run },
    ship: { input, resource: 'thing', run },
    haul: { input, resource: 'thing', background: true, run },
  },
});

const client = connect({
  app,
  url,
  key,
  timing: { retryMinMs: 50, retryMaxMs: 1_000 },
  onError: ({ kind, message }) => {
    console.log(`${kind}: ${message}`);
  },
});
client.on('online', () => {
  console.log('online');
});
const pushed = Array.from({ length: records }, (_, n) => ({ id: `t${String(n)}`, title: `Thing ${String(n)}` }));
void client.putRecords('thing', pushed).then(() => {
  console.log('pushed');
});
console.log('the app runs');
