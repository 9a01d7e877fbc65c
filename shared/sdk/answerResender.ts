/**
 * Sends the answers that the service has not confirmed: after each registration, and at intervals, as a confirmation may be
 * lost. Used by connect.ts.
 */
import type { RpcError, RunAnswer } from '../app/link/protocol.ts';
import type { AnswerCache, UnsettledAnswer } from './answerCache.ts';
import { splitIntoFrames } from './batches.ts';
import type { Peer } from './peer.ts';
import { isTransientRefusal, refusedAnswer, rpcErrorDetails, RpcFailed, type LinkProblem } from './problems.ts';

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

const unsettledBatches = (runs: AnswerCache, ageMs: number): UnsettledAnswer[][] =>
  splitIntoFrames(runs.unsettled(ageMs), ({ bytes, members }) => ({
    bytes: bytes + overheadBytes,
    members: members + overheadMembers,
  }));

/** Returns whether a refusal is that of a service which does not know that answers can be shared. */
const isAttemptRefused = (error: RpcError): boolean => {
  const details = rpcErrorDetails(error);
  return details.length > 0 && details.every(({ path }) => path.endsWith('.attempt'));
};

export const createAnswerResender = (
  runs: AnswerCache,
  everyMs: number,
  onProblem: (problem: LinkProblem) => void,
): AnswerResender => {
  let peer: Peer | null = null;
  let scheduled: NodeJS.Timeout | undefined;
  /** Whether answers name their attempt, so that they count from any instance; false once this connection's service has refused that. */
  let namesAttempts = runs.isShared;

  const toRunAnswer = ({ run, attempt, answer }: UnsettledAnswer): RunAnswer =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the result went through `toSendableAnswer`, or came from the app's store
    ({ run, ...(namesAttempts ? { attempt } : {}), ...answer }) as RunAnswer;

  /** Sends a batch, and the halves of one that is refused, so that an answer which can't be taken keeps back no other. Rejects when the service can't take any now. */
  const sendBatch = async (to: Peer, answers: readonly UnsettledAnswer[]): Promise<void> => {
    try {
      const params = { answers: answers.map(toRunAnswer) };
      const settled = new Set((await to.request('run.answers', params, answerTimeoutMs)).settled);
      for (const { run, attempt } of answers) if (settled.has(run)) runs.settle(run, attempt);
    } catch (error) {
      const [first] = answers;
      if (first === undefined || !(error instanceof RpcFailed) || isTransientRefusal(error.error)) throw error;
      if (namesAttempts && isAttemptRefused(error.error)) {
        namesAttempts = false;
        return sendBatch(to, answers);
      }
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
      namesAttempts = runs.isShared;
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
