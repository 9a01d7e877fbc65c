/**
 * `npm run chaos [-- --only 1,7 --seed 42 --scale short|long]`: every invariant on an installation of its own that is
 * killed, frozen and emptied under it. Lines go to the error output, the findings as JSON to the standard output.
 */
import { parseArgs } from 'node:util';
import { invariants } from './invariants/index.ts';
import { judge } from './support/judge.ts';
import { findingLines } from './support/report.ts';
import type { Finding, Scale } from './support/run.ts';
import { openSite } from './support/site.ts';

const { values } = parseArgs({ options: { only: { type: 'string' }, seed: { type: 'string' }, scale: { type: 'string', default: 'long' } } });
if (values.scale !== 'short' && values.scale !== 'long') throw new Error('--scale is short or long.');
const scale: Scale = values.scale;
const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : Number(values.seed);
if (!Number.isSafeInteger(seed)) throw new Error('--seed is a whole number.');
const only = values.only?.split(',').map(Number);
const chosen = invariants.filter(({ number }) => only?.includes(number) ?? true);
if (chosen.length === 0) throw new Error(`--only takes some of ${invariants.map(({ number }) => String(number)).join(', ')}.`);

const say = (line: string): void => {
  process.stderr.write(`${new Date().toISOString().slice(11, 23)} ${line}\n`);
};

// The children are killed by an exit handler, which a signal alone would skip.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

const findings: Finding[] = [];
say(`seed ${String(seed)}, scale ${scale}`);
for (const invariant of chosen) {
  say(`${String(invariant.number)}: ${invariant.title}`);
  const site = await openSite(invariant.site[scale]);
  try {
    const finding = await judge(invariant, site, { scale, seed, say });
    findings.push(finding);
    for (const line of findingLines(finding)) say(line);
  } finally {
    await site.close();
  }
}
say('');
for (const finding of findings) for (const line of findingLines(finding)) say(line);
process.stdout.write(`${JSON.stringify({ seed, scale, findings }, null, 2)}\n`);
process.exit(findings.every(({ problems }) => problems.length === 0) ? 0 : 1);
