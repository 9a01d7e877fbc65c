/** The load generator: a process of its own, so that it never is what is measured. */
import { WebSocket } from 'ws';
import { drive } from '../drive.ts';
import { answerCalls } from '../ipc.ts';
import { quantile } from '../numbers.ts';
import type { Heard, Measured, Plan } from '../plan.ts';

const itemForm = /"item":\{"id":"([^"]+)"/;

/** The same with a subscriber, which reports when it received each change. */
const runHearing = async ({
  plan,
  url,
  token,
}: {
  plan: Plan;
  url: string;
  token: string;
}): Promise<Measured & Heard> => {
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
  await new Promise((resolve, reject) => socket.once('message', resolve).once('error', reject));
  const sent = new Map<string, number>();
  const answered = new Map<string, number>();
  const heard = new Map<string, number>();
  socket.on('message', (data) => {
    const now = performance.now();
    const id = itemForm.exec((data as Buffer).toString('latin1', 0, 400))?.[1];
    if (id !== undefined) heard.set(id, now);
  });
  const measured = await drive(plan, {
    sent: (id, at) => {
      sent.set(id, at);
      heard.delete(id);
    },
    answered: (id, at) => answered.set(id, at),
  });
  // The last ones are on their way.
  const until = performance.now() + 5000;
  while ([...answered.keys()].some((id) => !heard.has(id)) && performance.now() < until)
    await new Promise((resolve) => setTimeout(resolve, 50));
  socket.terminate();
  const after = (from: ReadonlyMap<string, number>): number[] =>
    [...from].flatMap(([id, at]) => (heard.has(id) ? [(heard.get(id) ?? 0) - at] : []));
  const missed = [...answered.keys()].filter((id) => !heard.has(id)).length;
  const [bySent, byAnswer] = [after(sent), after(answered)];
  return {
    ...measured,
    missed,
    sentP50: quantile(bySent, 0.5),
    sentP99: quantile(bySent, 0.99),
    answeredP50: quantile(byAnswer, 0.5),
    answeredP99: quantile(byAnswer, 0.99),
  };
};

answerCalls({ run: (plan: Plan) => drive(plan), runHearing });
