/**
 * `npm run soak [-- --minutes 120 --changes 200 --sockets 500 --seed 42]`: hours of everything at once. Lines go to the error
 * output, the report as JSON to the standard output; ends with 1 when a goal is not met.
 */
import { misused, readOptions } from '../../shared/tools/cli/options.mjs';
import { planOf } from './plan.ts';
import { goalLines, soak } from './report.ts';
import { newRun } from './soak.ts';

const { text } = readOptions('soak');
const numberOf = (name: string, otherwise: number): number => {
  const value = Number(text(name) ?? otherwise);
  return Number.isFinite(value) && value > 0 ? value : misused('soak', `--${name} is a number above 0.`);
};
const seed = Number(text('seed') ?? Math.floor(Math.random() * 1_000_000));
if (!Number.isSafeInteger(seed)) misused('soak', '--seed is a whole number.');
const sockets = numberOf('sockets', 500);
if (!Number.isInteger(sockets)) misused('soak', '--sockets is a whole number.');
const plan = planOf({ minutes: numberOf('minutes', 120), changes: numberOf('changes', 200), sockets, seed });

const say = (line: string): void => {
  process.stderr.write(`${new Date().toISOString().slice(11, 23)} ${line}\n`);
};

// The children are killed by an exit handler, which a signal alone would skip.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

say(JSON.stringify(plan));
const report = await soak(newRun(plan, say), plan);
for (const line of goalLines(report.goals)) say(line);
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
process.exit(report.goals.some(({ verdict }) => verdict === 'not met') ? 1 : 0);
