/** A block that the app makes. */
import { toActorRef } from '../../../access/principal.ts';
import { requireAnswer } from '../../../blocks/appAnswers.ts';
import { validateBlock } from '../../../blocks/validateBlocks.ts';
import { presentBlocks } from '../../../items/presentBlocks.ts';
import { linkLimits } from '../../../applink/protocol.ts';
import { blockTitle, type BlockResolver } from '../context.ts';

export const appBlock: BlockResolver = async ({ deps, caller, page, params }, declared, place) => {
  const title = blockTitle(declared);
  const outcome = await deps.link.call(
    caller.env.id,
    'page.block',
    { page, block: place, title, params, actor: toActorRef(caller.principal) },
    { declares: { kind: 'page', name: page }, timeoutMs: linkLimits.readMs },
  );
  const answer: unknown = requireAnswer(outcome);
  const given: unknown =
    typeof answer === 'object' && answer !== null && Object.hasOwn(answer, 'block')
      ? (answer as { block: unknown }).block
      : undefined;
  const block = validateBlock(given);
  const [seen] = await presentBlocks(deps.db, caller, [block['title'] === null ? { ...block, title } : block]);
  return seen ?? null;
};
