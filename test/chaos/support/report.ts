/** Findings as lines for people. */
import type { Finding } from './run.ts';

const named = (values: Readonly<Record<string, number | string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');

export const findingLines = ({
  invariant,
  title,
  seed,
  scale,
  seconds,
  sizes,
  faults,
  measures,
  problems,
}: Finding): string[] => [
  `${problems.length === 0 ? 'holds' : 'DOES NOT HOLD'}: ${String(invariant)} ${title} (${scale}, seed ${String(seed)}, ${String(seconds)} s)`,
  ...(Object.keys(sizes).length > 0 ? [`  sizes: ${named(sizes)}`] : []),
  ...(Object.keys(faults).length > 0 ? [`  faults: ${named(faults)}`] : []),
  ...(Object.keys(measures).length > 0 ? [`  measured: ${named(measures)}`] : []),
  ...problems.map((problem) => `  problem: ${problem}`),
];
