/** Why some items of a bulk would not change. Used by SelectionBar before a bulk is made, and by Decision when one is asked for. */
import type { BulkDryRun } from '../wire/types.ts';
import { legible } from './legible.ts';
import { contentTexts } from './texts.ts';

/** Reasons that are shown; the others are counted. */
const shownMost = 3;

/** `problems`: most frequent first. */
export const Problems = ({ problems }: Pick<BulkDryRun, 'problems'>) => {
  if (problems.length === 0) return null;
  const others = problems.slice(shownMost).reduce((sum, { count }) => sum + count, 0);
  return (
    <ul className="problems soft">
      {problems.slice(0, shownMost).map(({ message, count }) => (
        <li key={message} dir="auto">
          {contentTexts.problem(count, legible(message))}
        </li>
      ))}
      {others > 0 && <li>{contentTexts.otherProblems(others)}</li>}
    </ul>
  );
};
