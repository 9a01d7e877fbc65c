/** The dependencies that all parts of the live stream share: those of the process, the log, and durations. */
import { limits } from '../../shared/catalogue/limits.ts';
import type { Deps } from '../../shared/deps.ts';
import type { StreamLog } from './log.ts';
import type { ReadFeed } from './reads.ts';

/** In ms. Tests set shorter ones. */
export interface LiveTimes {
  /** Between pings. */
  readonly pingMs: number;
  /** A backlog of which nothing drained for this long ends the stream. */
  readonly stallMs: number;
  /** From a close frame to the end of the connection, for a client that doesn't answer it. */
  readonly graceMs: number;
}

export const liveTimes: LiveTimes = { pingMs: limits.livePingMs, stallMs: limits.liveStallMs, graceMs: 3_000 };

export interface LiveContext {
  readonly deps: Deps;
  readonly log: StreamLog;
  readonly reads: ReadFeed;
  readonly times: LiveTimes;
}
