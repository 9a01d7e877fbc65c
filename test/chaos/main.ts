/**
 * `npm run chaos [-- --only 1,7,failover --seed 42 --scale short|long]`: every invariant on an installation of its own that is
 * killed, frozen and emptied under it. Lines go to the error output, the findings as JSON to the standard output.
 */
import { misused, readOptions } from '../../shared/tools/cli/options.mjs';
import { invariants } from './invariants/index.ts';
import { judge } from './support/judge.ts';
import { findingLines } from './support/report.ts';
import type { Finding, Invariant, Scale } from './support/run.ts';
import { openSite } from './support/site.ts';

const readScale = (text = 'long'): Scale =>
  text === 'short' || text === 'long' ? text : misused('chaos', '--scale is short or long.');
const { text } = readOptions('chaos');
const scale = readScale(text('scale'));
const seed = Number(text('seed') ?? Math.floor(Math.random() * 1_000_000));
if (!Number.isSafeInteger(seed)) misused('chaos', '--seed is a whole number.');
const only = text('only')?.split(',');
const namesOf = ({ number, name }: Invariant): string[] => [String(number), ...(name === undefined ? [] : [name])];
const unknown = only?.find((wanted) => !invariants.some((invariant) => namesOf(invariant).includes(wanted)));
if (unknown !== undefined) misused('chaos', `--only takes some of ${invariants.flatMap(namesOf).join(', ')}.`);
const chosen = invariants.filter((invariant) =>
  only === undefined ? invariant.name === undefined : namesOf(invariant).some((name) => only.includes(name)),
);

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
