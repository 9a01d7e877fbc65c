/** Evaluates one flag as often as it can, in the words of each kind of flagKinds.ts. */
import { kinds, subjects } from '../flagKinds.ts';
import { answerCalls } from '../ipc.ts';

export interface Evaluated {
  readonly perSecond: number;
  /** Of the thousand: to see that each does the same work. */
  readonly on: number;
}

/** Evaluations a second during `ms`. */
const evaluate = async ({ kind, ms }: { kind: string; ms: number }): Promise<Evaluated> => {
  const ask = await kinds[kind]?.();
  if (ask === undefined) throw new Error(`There is no kind ${kind}.`);
  const on = subjects.filter((subject) => ask(subject)).length;
  let done = 0;
  let sum = 0;
  const began = performance.now();
  const until = began + ms;
  while (performance.now() < until) {
    for (const subject of subjects) if (ask(subject)) sum += 1;
    done += subjects.length;
  }
  if (sum !== (done / subjects.length) * on) throw new Error('It answers differently at different times.');
  return { perSecond: done / ((performance.now() - began) / 1000), on };
};

answerCalls({ evaluate });
