/**
 * Sends the answers that the service has not confirmed: after each registration, and at intervals, as a confirmation may be
 * lost. Used by connect.ts.
 */
import type { RunAnswer } from '../applink/protocol.ts';
import type { AnswerCache } from './answerCache.ts';
import { splitIntoFrames } from './batches.ts';
import type { Peer } from './peer.ts';
import { isTransientRefusal, refusedAnswer, RpcFailed, type LinkProblem } from './problems.ts';

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
/** More than the run's id and its JSON add to an answer. */
const overheadBytes = 300;
const overheadMembers = 1;

const unsettledBatches = (runs: AnswerCache, ageMs: number): RunAnswer[][] =>
  splitIntoFrames(runs.unsettled(ageMs), ({ bytes, members }) => ({
    bytes: bytes + overheadBytes,
    members: members + overheadMembers,
  })).map((batch) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the result went through `toSendableAnswer`, or came from the app's store
    batch.map(({ run, answer }) => ({ run, ...answer }) as RunAnswer),
  );

export const createAnswerResender = (
  runs: AnswerCache,
  everyMs: number,
  onProblem: (problem: LinkProblem) => void,
): AnswerResender => {
  let peer: Peer | null = null;
  let scheduled: NodeJS.Timeout | undefined;

  /** Sends a batch, and the halves of one that is refused, so that an answer which can't be taken keeps back no other. Rejects when the service can't take any now. */
  const sendBatch = async (to: Peer, answers: readonly RunAnswer[]): Promise<void> => {
    try {
      const { settled } = await to.request('run.answers', { answers }, answerTimeoutMs);
      for (const run of settled) runs.settle(run);
    } catch (error) {
      const [first] = answers;
      if (first === undefined || !(error instanceof RpcFailed) || isTransientRefusal(error.error)) throw error;
      if (answers.length === 1) {
        if (runs.refuse(first.run)) onProblem(refusedAnswer(first.run, error.error));
        return;
      }
      const half = Math.ceil(answers.length / 2);
      await sendBatch(to, answers.slice(0, half));
      await sendBatch(to, answers.slice(half));
    }
  };
  const now = async (ageMs: number): Promise<void> => {
    if (peer === null) return;
    if (ageMs === 0) {
      // The scheduled sending would send the same answers.
      clearTimeout(scheduled);
      scheduled = undefined;
    }
    const to = peer;
    try {
      for (const answers of unsettledBatches(runs, ageMs)) await sendBatch(to, answers);
    } catch {
      schedule(retryMs);
    }
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
      if (next !== null) runs.forgetRefusals();
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
