/** Adds tags to an item and removes some. */
import { Fault, invalidAt } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { strictObject, tagSchema, Type, type Static } from '../../platform/json/schema.ts';
import { cleanText } from '../../platform/words/texts.ts';
import { defineItemOperation } from '../operation.ts';
import { changeTags, requireSeenTags } from '../tags.ts';

const tagList = (description: string) =>
  Type.Optional(Type.Array(tagSchema, { maxItems: limits.tagsPerItem, description }));

/** Tags to add and to remove, of which there is at least one and none is in both. */
export const tagChangeSchema = strictObject(
  { add: tagList('Tags to add.'), remove: tagList('Tags to remove.') },
  { description: 'Tags to add and to remove.' },
);

/** Throws `invalid` for an empty change, and for a tag in both lists; paths begin with `prefix`. */
export const requireTagChange = ({ add = [], remove = [] }: Static<typeof tagChangeSchema>, prefix = ''): void => {
  if (add.length + remove.length === 0) throw invalidAt(`${prefix}add`, 'must have at least one tag, or remove must');
  requireSeenTags(add, `${prefix}add`);
  requireSeenTags(remove, `${prefix}remove`);
  const gone = remove.map(cleanText);
  const both = add.findIndex((name) => gone.includes(cleanText(name)));
  if (both !== -1) throw invalidAt(`${prefix}add.${String(both)}`, 'must not be in remove as well');
};

export const tagItem = defineItemOperation({
  name: 'item.tags',
  verb: 'tags',
  input: tagChangeSchema,
  validate: (input) => {
    requireTagChange(input);
  },
  decide: (item, _inbox, { add = [], remove = [] }) => {
    const change = changeTags(item.tags, add, remove);
    if (change instanceof Fault) return change;
    if (change.add.length + change.remove.length === 0) return 'unchanged';
    return {
      item: { ...item, tags: change.tags },
      entries: [{ type: 'tags', data: { add: change.add, remove: change.remove } }],
    };
  },
});
