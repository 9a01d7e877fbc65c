/** Sends the answers that the service may not have: after each registration, and now and then, as its word for "I have it" may be lost. */
import { linkLimits, type RunAnswer } from '../applink/protocol.ts';
import type { AnswerCache } from './answerCache.ts';
import type { Peer } from './peer.ts';

interface AnswerResender {
  attach(peer: Peer | null): void;
  /** Sends those that are at least `ageMs` old; resolves when the service has them, or can't be told. */
  now(ageMs: number): Promise<void>;
  /** Sends all of them in a moment: many that come late go together. */
  soon(): void;
  close(): void;
}

const answerTimeoutMs = 30_000;
const batchDelayMs = 20;
/** The service waits for an answer for a minute: what it could not take is sent again well before that is over. */
const retryMs = 2_000;
const bytesMax = linkLimits.frameBytes - 64 * 1024;

const unsettledBatches = (runs: AnswerCache, ageMs: number): RunAnswer[][] => {
  const all: RunAnswer[][] = [[]];
  let room = bytesMax;
  for (const { run, answer, bytes } of runs.unsettled(ageMs)) {
    let last = all.at(-1) ?? [];
    if (last.length >= linkLimits.batch || (last.length > 0 && bytes + 300 > room)) {
      last = [];
      all.push(last);
      room = bytesMax;
    }
    last.push({ run, ...answer } as RunAnswer);
    room -= bytes + 300;
  }
  return all.filter((batch) => batch.length > 0);
};

export const createAnswerResender = (runs: AnswerCache, everyMs: number): AnswerResender => {
  let peer: Peer | null = null;
  let gathering: NodeJS.Timeout | undefined;

  const send = async (to: Peer, ageMs: number): Promise<void> => {
    for (const answers of unsettledBatches(runs, ageMs)) {
      try {
        const { settled } = await to.request('run.answers', { answers }, answerTimeoutMs);
        if (Array.isArray(settled)) for (const run of settled) runs.settle(run);
      } catch {
        gather(retryMs);
        return;
      }
    }
  };
  const now = async (ageMs: number): Promise<void> => {
    if (peer === null) return;
    if (ageMs === 0) {
      // What was to be sent in a moment goes with it.
      clearTimeout(gathering);
      gathering = undefined;
    }
    await send(peer, ageMs);
  };
  const gather = (ms: number): void => {
    gathering ??= setTimeout(() => {
      gathering = undefined;
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
      gather(batchDelayMs);
    },
    close: () => {
      clearInterval(timer);
      clearTimeout(gathering);
    },
  };
};
