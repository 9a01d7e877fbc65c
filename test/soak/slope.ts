/** The straight line through measurements, and whether it rises by more than it may. Used by growth.ts. */

export interface Point {
  readonly hours: number;
  readonly mb: number;
}

export interface Slope {
  readonly points: number;
  readonly hours: number;
  readonly firstMb: number;
  readonly lastMb: number;
  /** By least squares, with twice its standard error. */
  readonly mbPerHour: number;
  readonly plusMinus: number;
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** Returns the line through points, the later ones alone: the first quarter of the time is warm-up. */
export const slopeOf = (all: readonly Point[]): Slope => {
  const [begin, end] = [all[0]?.hours ?? 0, all.at(-1)?.hours ?? 0];
  const points = all.filter(({ hours }) => hours >= begin + (end - begin) / 4);
  const n = points.length;
  const mean = (of: (point: Point) => number): number => points.reduce((sum, point) => sum + of(point), 0) / n;
  const [x, y] = [mean(({ hours }) => hours), mean(({ mb }) => mb)];
  const spread = points.reduce((sum, { hours }) => sum + (hours - x) ** 2, 0);
  const slope = points.reduce((sum, { hours, mb }) => sum + (hours - x) * (mb - y), 0) / spread;
  const rest = points.reduce((sum, { hours, mb }) => sum + (mb - y - slope * (hours - x)) ** 2, 0);
  return {
    points: n,
    hours: round((points.at(-1)?.hours ?? 0) - (points[0]?.hours ?? 0)),
    firstMb: round(points[0]?.mb ?? Number.NaN),
    lastMb: round(points.at(-1)?.mb ?? Number.NaN),
    mbPerHour: round(slope),
    plusMinus: round(2 * Math.sqrt(rest / (n - 2) / spread)),
  };
};

export type Verdict = 'met' | 'not met' | 'too short to tell';

/** A process has not warmed up before that: what it grows by until then says nothing of the hours to come. */
const shortHours = 0.5;
/** Growth in MB that is more than warming up. */
const warmingMb = 24;

/**
 * Returns whether memory grows by at most `mostMbPerHour`: it does where the whole range of the slope is below that, and does
 * not where the whole range is above. A short series tells only a growth that no warming up explains.
 */
export const judgeSlope = (
  { points, hours, firstMb, lastMb, mbPerHour, plusMinus }: Slope,
  mostMbPerHour: number,
): Verdict => {
  if (points < 4) return 'too short to tell';
  if (hours < shortHours) return lastMb - firstMb > warmingMb ? 'not met' : 'too short to tell';
  if (mbPerHour - plusMinus > mostMbPerHour) return 'not met';
  return mbPerHour + plusMinus <= mostMbPerHour ? 'met' : 'too short to tell';
};
