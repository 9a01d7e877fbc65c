/** The source `app`: a block that the customer's app makes, by the call `page.block`. For page.ts. */
import { toActorRef } from '../../../access/principal.ts';
import { linkLimits } from '../../../applink/protocol.ts';
import { requireAnswer } from '../../../blocks/appAnswers.ts';
import { validateBlock } from '../../../blocks/validateBlocks.ts';
import { presentBlocks } from '../../../items/presentBlocks.ts';
import { isObject } from '../../../platform/core/jsonLimits.ts';
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
  const block = validateBlock(isObject(answer) ? answer['block'] : undefined);
  const [seen] = await presentBlocks(deps.db, caller, [block['title'] === null ? { ...block, title } : block]);
  return seen ?? null;
};
