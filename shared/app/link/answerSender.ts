/**
 * Sends the answers of relayed calls to the processes that wait for them: each until it is acknowledged, and few at once, so that a
 * process which reads slowly keeps its subscription. Used by remoteCalls.ts.
 */

/** Characters under way to one process; a longer answer goes alone. By default Redis ends a subscriber that leaves 32 MB unread. */
const underWayMax = 4 * 1024 * 1024;
/** ms after which an answer is sent again, each time: a message is lost while Redis or one of the processes is cut off. */
const resendAfterMs = [1_000, 2_000, 4_000];
/** ms after the last time until it is given up. */
const giveUpAfterMs = 4_000;

interface Answer {
  readonly text: string;
  sent: number;
  timer: NodeJS.Timeout | undefined;
}

/** The answers to one process, by the ids of the calls. */
interface Target {
  readonly waiting: Map<string, Answer>;
  readonly underWay: Map<string, Answer>;
  length: number;
  /** Whether an answer was acknowledged since the last one was given up. */
  isHeard: boolean;
}

export class AnswerSender {
  readonly #publish: (process: string, text: string) => void;
  readonly #targets = new Map<string, Target>();
  #isClosed = false;

  constructor(publish: (process: string, text: string) => void) {
    this.#publish = publish;
  }

  /** Sends the answer to the call `id` once there is room, and again until `acknowledge` is called or it has been sent four times. */
  send(process: string, id: string, text: string): void {
    if (this.#isClosed) return;
    const target = this.#targets.get(process) ?? { waiting: new Map(), underWay: new Map(), length: 0, isHeard: false };
    this.#targets.set(process, target);
    target.waiting.set(id, { text, sent: 0, timer: undefined });
    this.#sendNext(process, target);
  }

  /** Takes note that `process` has the answer to the call `id`. */
  acknowledge(process: string, id: string): void {
    const target = this.#targets.get(process);
    if (target === undefined) return;
    target.isHeard = true;
    this.#remove(process, target, id);
  }

  /** Forgets all answers; those that are sent later are dropped, so that no timer is left. */
  close(): void {
    this.#isClosed = true;
    for (const { underWay } of this.#targets.values()) for (const { timer } of underWay.values()) clearTimeout(timer);
    this.#targets.clear();
  }

  #sendNext(process: string, target: Target): void {
    for (const [id, answer] of target.waiting) {
      if (target.underWay.size > 0 && target.length + answer.text.length > underWayMax) return;
      target.waiting.delete(id);
      target.underWay.set(id, answer);
      target.length += answer.text.length;
      this.#sendOnce(process, id, answer);
    }
    if (target.underWay.size === 0) this.#targets.delete(process);
  }

  #sendOnce(process: string, id: string, answer: Answer): void {
    this.#publish(process, answer.text);
    const after = resendAfterMs[answer.sent++];
    answer.timer = setTimeout(() => {
      if (after === undefined) this.#giveUp(process, id);
      else this.#sendOnce(process, id, answer);
    }, after ?? giveUpAfterMs);
  }

  #remove(process: string, target: Target, id: string): void {
    const answer = target.underWay.get(id);
    if (answer === undefined) return;
    clearTimeout(answer.timer);
    target.underWay.delete(id);
    target.length -= answer.text.length;
    this.#sendNext(process, target);
  }

  /** Sends those behind an answer that was not acknowledged; where none was, the process is gone, and they are forgotten. */
  #giveUp(process: string, id: string): void {
    const target = this.#targets.get(process);
    if (target === undefined) return;
    if (!target.isHeard) target.waiting.clear();
    target.isHeard = false;
    this.#remove(process, target, id);
  }
}
