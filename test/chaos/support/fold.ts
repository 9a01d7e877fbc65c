/** What recorders folded together, compared with the lists that it must add up to. */
import type { Json } from './oracle.ts';
import { pause } from './pause.ts';
import type { Recorder } from './recorder.ts';

const differenceOf = (folded: Json, item: Json): string =>
  Object.keys({ ...item, ...folded })
    .filter((member) => JSON.stringify(folded[member]) !== JSON.stringify(item[member]))
    .map(
      (member) =>
        `${member} was told as ${JSON.stringify(folded[member])} and is listed as ${JSON.stringify(item[member])}`,
    )
    .join(', ');

/** How what was folded differs from a list of the same items. */
export const foldDifferences = ({ items }: Recorder, list: readonly Json[]): string[] => {
  const differences: string[] = [];
  for (const item of list) {
    const id = item.id as string;
    const folded = items.get(id) as Json;
    if (folded === undefined) differences.push(`${id} was never told of`);
    else if (JSON.stringify(folded) !== JSON.stringify(item)) differences.push(`${id}: ${differenceOf(folded, item)}`);
  }
  const listed = new Set(list.map((item) => item.id as string));
  for (const id of items.keys()) if (!listed.has(id)) differences.push(`${id} was told of but isn't listed`);
  return differences;
};

/** A recorder and the list that its stream must add up to. */
export interface Expected {
  readonly recorder: Recorder;
  readonly list: readonly Json[];
}

/** Waits until recorders have received everything, stops them, and returns what is wrong with what they received. */
export const heardProblems = async (all: readonly Expected[], ms = 20_000): Promise<string[]> => {
  const deadline = Date.now() + ms;
  while (Date.now() < deadline && all.some(({ recorder, list }) => foldDifferences(recorder, list).length > 0))
    await pause(100);
  await Promise.all(all.map(({ recorder }) => recorder.stop()));
  return all.flatMap(({ recorder, list }) => [...recorder.problems, ...foldDifferences(recorder, list)]);
};
