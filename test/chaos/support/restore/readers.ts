/** Readers of a stream whose database goes back: what each was told before and after, and whether it learnt of it. Used by restore.ts. */
import type { Client } from '../client.ts';
import { foldDifferences } from '../fold.ts';
import { listItems, type Json } from '../oracle.ts';
import { pause } from '../pause.ts';
import { Recorder } from '../recorder.ts';
import type { Run } from '../run.ts';

/** What a new entry of a timeline says, by its id; one id says one thing, whatever was lost. */
export class EntryIds {
  readonly problems: string[] = [];
  readonly #texts = new Map<string, string>();

  readonly hear = ({ type, change, entry }: Json): void => {
    if (type !== 'timeline' || change !== 'created') return;
    const id = String(entry.id);
    const text = JSON.stringify([entry.type, entry.data, entry.at]);
    const known = this.#texts.get(id);
    if (known !== undefined && known !== text) this.problems.push(`the id ${id} was given twice: ${known} and ${text}`);
    this.#texts.set(id, text);
  };

  get size(): number {
    return this.#texts.size;
  }
}

export interface Readers {
  /** Stays from before the point in time until the end. */
  readonly stays: Recorder;
  readonly ids: EntryIds;
  /** Left before the point in time. */
  readonly early: Recorder;
  /** Was told of what is lost, and left before the disaster. */
  late: Recorder | null;
}

export const openReaders = async (client: Client): Promise<Readers> => {
  const ids = new EntryIds();
  const stays = new Recorder(client, { mayReset: true, turn: 1, onMessage: ids.hear });
  const early = new Recorder(client, { mayReset: true });
  await Promise.all([stays.joined, early.joined]);
  return { stays, ids, early, late: null };
};

/** Lets those who left come back, and resolves with them and who stayed. */
export const comeBack = async (client: Client, { stays, early, late }: Readers): Promise<Map<string, Recorder>> => {
  const back = (after: string | null): Recorder => new Recorder(client, { mayReset: true, after });
  const all = new Map([
    ['who stayed', stays],
    ['who was told of what is lost', back(late?.last ?? null)],
    ['who left before', back(early.last)],
  ]);
  await Promise.all([...all.values()].map(({ joined }) => joined));
  return all;
};

/** Each of `reset` has learnt that it has to read anew, and since then everybody was told everything. */
export const judgeReaders = async (
  run: Run,
  client: Client,
  readers: ReadonlyMap<string, Recorder>,
  reset: readonly string[],
): Promise<void> => {
  const list = new Map((await listItems(client)).map((item) => [item.id as string, item]));
  const differences = (recorder: Recorder): string[] =>
    foldDifferences(
      recorder,
      [...recorder.items.keys()].flatMap((id) => list.get(id) ?? []),
    );
  const deadline = Date.now() + 20_000;
  while (Date.now() < deadline && [...readers.values()].some((each) => differences(each).length > 0)) await pause(100);
  await Promise.all([...readers.values()].map((recorder) => recorder.stop()));
  for (const [who, recorder] of readers) {
    if (reset.includes(who))
      run.expect(recorder.resets.includes('epoch'), `${who} got no reset (${recorder.resets.join(', ') || 'none'})`);
    for (const problem of [...recorder.problems, ...differences(recorder)]) run.problem(`${who}: ${problem}`);
  }
};
