/** A block that the app makes. */
import { byOf } from '../../../access/principal.ts';
import { answerOf } from '../../../blocks/ask.ts';
import { checkedBlock } from '../../../blocks/check.ts';
import { seenBlocks } from '../../../items/seenBlocks.ts';
import { linkLimits } from '../../../applink/protocol.ts';
import { titleOf, type Resolve } from '../context.ts';

export const appBlock: Resolve = async ({ deps, caller, page, params }, declared, place) => {
  const title = titleOf(declared);
  const outcome = await deps.link.call(
    caller.env.id,
    'page.block',
    { page, block: place, title, params, actor: byOf(caller.principal) },
    { declares: { kind: 'page', name: page }, timeoutMs: linkLimits.readMs },
  );
  const answer: unknown = answerOf(outcome);
  const given: unknown = typeof answer === 'object' && answer !== null && Object.hasOwn(answer, 'block') ? (answer as { block: unknown }).block : undefined;
  const block = checkedBlock(given);
  const [seen] = await seenBlocks(deps.db, caller, [block['title'] === null ? { ...block, title } : block]);
  return seen ?? null;
};
