/** The points of a chart as columns over one x axis, and how uPlot draws them: axes, lines and bars, in the colours that the page has now. Used by Chart.tsx. */
import uPlot from 'uplot';
import { axisTimes } from '../ui/time.ts';
import { timeZone } from '../ui/timeZone.ts';
import type { Block } from '../wire/types.ts';
import { objects, plain } from './values.ts';

export interface ChartData {
  readonly names: readonly string[];
  /** The label of x at each place. */
  readonly places: readonly (number | string)[];
  readonly xs: readonly number[];
  readonly columns: readonly (readonly (number | null)[])[];
  readonly scale: 'time' | 'number' | 'names';
}

/** Numbers from here on are milliseconds since 1970: 1973 and later. */
const timeFrom = 100_000_000_000;

type Point = readonly [number | string, number];

const pointsOf = (points: unknown): readonly Point[] =>
  (Array.isArray(points) ? points : []).flatMap((point: unknown): Point[] => {
    if (!Array.isArray(point)) return [];
    const x: unknown = point[0];
    const y: unknown = point[1];
    return (typeof x === 'number' || typeof x === 'string') && typeof y === 'number' ? [[x, y]] : [];
  });

export const toChartData = ({ series }: Block): ChartData => {
  const all = objects(series).map(({ name, points }) => ({ name: plain(name), points: new Map(pointsOf(points)) }));
  const found = [...new Set(all.flatMap(({ points }) => [...points.keys()]))];
  const numbers = found.filter((x) => typeof x === 'number');
  const isNumeric = numbers.length === found.length;
  const places = isNumeric ? numbers.toSorted((a, b) => a - b) : found;
  return {
    names: all.map(({ name }) => name),
    places,
    xs: isNumeric ? numbers.toSorted((a, b) => a - b) : found.map((_, at) => at),
    columns: all.map(({ points }) => places.map((x) => points.get(x) ?? null)),
    scale: !isNumeric ? 'names' : numbers.length > 0 && numbers.every((x) => x >= timeFrom) ? 'time' : 'number',
  };
};

interface Look {
  /** Colour of a series, as its swatch in the legend has it now. */
  readonly colourOf: (series: number) => string;
  readonly text: () => string;
  readonly line: () => string;
  readonly font: string;
}

interface PlotProps {
  readonly data: ChartData;
  readonly kind: 'line' | 'bar';
  readonly look: Look;
  /** Called with the place under the pointer; null: none. */
  readonly onPlace: (at: number | null) => void;
}

export const plotHeight = 220;
/** Part of the distance of two places that their bars fill. */
const barsShare = 0.8;
/** Of the name of a place, and in pixels that of a letter and of the gap between two names. */
const labelMost = 24;
const letterWidth = 7;
const labelGap = 12;
/** Dashes tell lines apart where colours don't. */
const dashes = [[], [6, 4], [2, 3], [10, 4, 2, 4]];

/** Returns the shortest distance of two places. */
const distanceOf = (xs: readonly number[]): number =>
  xs.reduce((least, x, at) => (at === 0 ? least : Math.min(least, x - (xs[at - 1] ?? x))), Infinity);

/** Returns the function that draws the bars of all series side by side. */
const sideBySide = ({ xs, columns }: ChartData): uPlot.Series.PathBuilder | undefined => {
  const least = distanceOf(xs);
  const whole = (Number.isFinite(least) ? least : 1) * barsShare;
  const each = whole / Math.max(1, columns.length);
  return uPlot.paths.bars?.({
    disp: {
      x0: { unit: 1, values: (_, series) => xs.map((x) => x - whole / 2 + (series - 1) * each) },
      size: { unit: 1, values: () => [each] },
    },
  });
};

/** Returns the places whose labels stand beside each other: each, or every second, third… */
const everyFitting = (plot: uPlot, xs: readonly number[], labelOf: (x: number) => string): number[] => {
  const widest = Math.max(0, ...xs.map((x) => labelOf(x).length)) * letterWidth + labelGap;
  const step = Math.ceil((widest * xs.length) / Math.max(1, plot.bbox.width / devicePixelRatio));
  return xs.filter((_, at) => at % step === 0);
};

const ranges = (data: ChartData, kind: PlotProps['kind']): uPlot.Scales => {
  const least = distanceOf(data.xs);
  const room = kind === 'line' && data.scale !== 'names' ? 0 : (Number.isFinite(least) ? least : 1) / 2;
  return {
    x: {
      time: data.scale === 'time',
      ...(room === 0
        ? {}
        : { range: (_: uPlot, from: number, to: number): uPlot.Range.MinMax => [from - room, to + room] }),
    },
    y: { range: (_, from, to) => uPlot.rangeNum(Math.min(0, from ?? 0), Math.max(0, to ?? 1), 0.1, true) },
  };
};

export const plotOptions = ({ data, kind, look, onPlace }: PlotProps): uPlot.Options => {
  const axis: uPlot.Axis = {
    stroke: look.text,
    font: look.font,
    grid: { stroke: look.line, width: 1 },
    ticks: { stroke: look.line, width: 1 },
  };
  const labelOf = (x: number): string => String(data.places[x] ?? '').slice(0, labelMost);
  const named: Partial<uPlot.Axis> =
    data.scale === 'names'
      ? { splits: (plot) => everyFitting(plot, data.xs, labelOf), values: (_, at) => at.map(labelOf) }
      : {
          space: 80,
          ...(data.scale === 'time' && { values: (_plot, at, _axis, _space, step) => axisTimes(at, step) }),
        };
  const bars = kind === 'bar' ? sideBySide(data) : undefined;
  return {
    width: 300,
    height: plotHeight,
    ms: 1,
    tzDate: (at) => uPlot.tzDate(new Date(at), timeZone()),
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, y: false },
    scales: ranges(data, kind),
    axes: [{ ...axis, ...named }, axis],
    series: [
      {},
      ...data.names.map((label, at): uPlot.Series => ({
        label,
        stroke: () => look.colourOf(at),
        width: kind === 'bar' ? 0 : 2,
        spanGaps: true,
        points: { show: kind === 'line' && data.xs.length < 3 },
        ...(bars === undefined
          ? { dash: dashes[at % dashes.length] ?? [] }
          : { paths: bars, fill: () => look.colourOf(at) }),
      })),
    ],
    hooks: { setCursor: [({ cursor: { idx } }) => onPlace(idx ?? null)] },
  };
};
