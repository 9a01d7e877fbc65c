/** The figures of a run as a table and as JSON: ours, limit, peer, ratio, goal, met. */
import { shown } from './numbers.ts';

/** What others take for the same work, in the unit of the figure. */
export interface Peer {
  readonly name: string;
  readonly value: number;
}

export interface Figure {
  /** Of which suite. */
  readonly suite: string;
  readonly what: string;
  readonly unit: string;
  readonly ours: number;
  readonly limit?: number;
  readonly peers?: readonly Peer[];
  /** In words, as docs and quality goals state it. */
  readonly goal?: string;
  /** Absent: no goal of its own. */
  readonly met?: boolean;
  readonly note?: string;
}

/** Returns what the results of a peer amount to; nothing when it was not measured. */
export const peer = <R>(
  name: string,
  results: readonly R[],
  value: (results: readonly R[]) => number,
): readonly Peer[] => (results.length === 0 ? [] : [{ name, value: value(results) }]);

/** Figures to be compared with `limit × least`. */
export const atLeast = (
  ours: number,
  limit: number,
  least: number,
): Pick<Figure, 'ours' | 'limit' | 'goal' | 'met'> => ({
  ours,
  limit,
  goal: `≥ ${String(least)} × limit`,
  met: ours >= least * limit,
});

export const atMost = (ours: number, most: number, unit: string): Pick<Figure, 'ours' | 'goal' | 'met'> => ({
  ours,
  goal: `≤ ${shown(most)} ${unit}`,
  met: ours <= most,
});

const ratio = ({ ours, limit }: Figure): string => (limit === undefined ? '' : shown(ours / limit));

const cells = (figure: Figure): string[] => [
  figure.what,
  figure.unit,
  shown(figure.ours),
  figure.limit === undefined ? '' : shown(figure.limit),
  ratio(figure),
  (figure.peers ?? []).map(({ name, value }) => `${name} ${shown(value)} (${shown(figure.ours / value)} ×)`).join(', '),
  figure.goal ?? '',
  figure.met === undefined ? '' : figure.met ? 'met' : 'NOT MET',
  figure.note ?? '',
];

const heads = ['what', 'unit', 'ours', 'limit', 'ratio', 'peers', 'goal', '', 'note'];

/** Markdown, in columns. */
export const table = (figures: readonly Figure[]): string => {
  const lines = [heads, ...figures.map(cells)];
  const widths = heads.map((_, column) => Math.max(1, ...lines.map((line) => [...(line[column] ?? '')].length)));
  const text = (line: readonly string[]): string =>
    `| ${line.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - [...cell].length)).join(' | ')} |`;
  return [text(heads), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...lines.slice(1).map(text)].join(
    '\n',
  );
};
