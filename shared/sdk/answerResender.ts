/**
 * Sends the answers that the service has not confirmed: after each registration, and at intervals, as a confirmation may be
 * lost. Used by connect.ts.
 */
import { linkLimits, type RunAnswer } from '../applink/protocol.ts';
import type { AnswerCache } from './answerCache.ts';
import type { Peer } from './peer.ts';

interface AnswerResender {
  attach(peer: Peer | null): void;
  /** Sends the answers that are at least `ageMs` old. Resolves when the service has them or can't be reached; never rejects. */
  now(ageMs: number): Promise<void>;
  /** Sends all answers after `batchDelayMs`, so that many late ones go together. */
  soon(): void;
  close(): void;
}

const answerTimeoutMs = 30_000;
const batchDelayMs = 20;
/** Wait before a failed batch is sent once more, in ms: far below the minute that the service waits for a lost answer. */
const retryMs = 2_000;
/** Bytes of a batch as JSON; the rest of the frame is for what stands around it. */
const bytesMax = linkLimits.frameBytes - 64 * 1024;
/** More than the run's id and its JSON add to an answer. */
const overheadBytes = 300;

const unsettledBatches = (runs: AnswerCache, ageMs: number): RunAnswer[][] => {
  const all: RunAnswer[][] = [[]];
  let room = bytesMax;
  for (const { run, answer, bytes } of runs.unsettled(ageMs)) {
    let last = all.at(-1) ?? [];
    if (last.length >= linkLimits.batch || (last.length > 0 && bytes + overheadBytes > room)) {
      last = [];
      all.push(last);
      room = bytesMax;
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the result went through `toSendableAnswer`, or came from the app's store
    last.push({ run, ...answer } as RunAnswer);
    room -= bytes + overheadBytes;
  }
  return all.filter((batch) => batch.length > 0);
};

export const createAnswerResender = (runs: AnswerCache, everyMs: number): AnswerResender => {
  let peer: Peer | null = null;
  let scheduled: NodeJS.Timeout | undefined;

  const send = async (to: Peer, ageMs: number): Promise<void> => {
    for (const answers of unsettledBatches(runs, ageMs)) {
      try {
        const { settled } = await to.request('run.answers', { answers }, answerTimeoutMs);
        for (const run of settled) runs.settle(run);
      } catch {
        schedule(retryMs);
        return;
      }
    }
  };
  const now = async (ageMs: number): Promise<void> => {
    if (peer === null) return;
    if (ageMs === 0) {
      // The scheduled sending would send the same answers.
      clearTimeout(scheduled);
      scheduled = undefined;
    }
    await send(peer, ageMs);
  };
  const schedule = (ms: number): void => {
    scheduled ??= setTimeout(() => {
      scheduled = undefined;
      void now(0);
    }, ms).unref();
  };
  const timer = setInterval(() => void now(everyMs), everyMs).unref();

  return {
    attach: (next) => {
      peer = next;
    },
    now,
    soon: () => {
      schedule(batchDelayMs);
    },
    close: () => {
      clearInterval(timer);
      clearTimeout(scheduled);
    },
  };
};
