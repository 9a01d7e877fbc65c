/** The fault for a name that doesn't exist or isn't seen, with the names that its caller may have meant. For every layer that looks names up. */
import { notFoundAt, type Fault } from '../../catalogue/errors.ts';
import { unknownNameMessage } from '../../platform/words/nearestNames.ts';

interface Named {
  readonly name: string;
}

/**
 * Returns `not_found` with a detail at `path` that lists the nearest of `known`. These have to be names that the caller sees:
 * then the answer is the same whether `wanted` is hidden or nowhere.
 */
export const unknownName = (path: string, wanted: string, known: Iterable<string | Named>): Fault => {
  const names = [...known].map((one) => (typeof one === 'string' ? one : one.name));
  return notFoundAt(path, unknownNameMessage(wanted, names));
};
