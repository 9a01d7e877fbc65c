/** The points of a chart as columns over one x axis: numbers, moments, or names in the order in which they come. Used by Chart.tsx. */
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
