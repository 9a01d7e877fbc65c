/** Leaves out of an item’s detail what another member of it says already. Used by present.ts. */
import { isObject } from '../../../shared/platform/core/jsonLimits.ts';
import { objectsIn, type Members } from './members.ts';

/** Returns the body without the report that the item was made of, if it is the only one or not asked for, and without blocks of its fields’ texts. */
export const withoutRepeats = (body: Members): Members => {
  const { item, latestOccurrence, blocks, ...rest } = body;
  if (!isObject(item) || !Array.isArray(blocks)) return body;
  const texts = new Set(isObject(item['fields']) ? Object.values(item['fields']) : []);
  return {
    item,
    blocks: objectsIn(blocks).filter(({ type, text }) => type !== 'text' || !texts.has(text)),
    ...rest,
    ...((item['occurrences'] ?? 1) === 1 ? {} : { latestOccurrence }),
  };
};
