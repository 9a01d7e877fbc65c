/**
 * Redacts checked blocks for a caller: items and actions as its role sees them, and no records that it doesn't see. For
 * views/ and the results of runs.
 */
import type { Access } from '../accounts/access/access.ts';
import { type Caller, findVisibleInbox } from '../accounts/access/principal.ts';
import type { Block } from '../app/link/protocol.ts';
import type { Definition } from '../app/manifest/definition.ts';
import { limits } from '../catalogue/limits.ts';
import type { Db } from '../platform/db/knex.ts';
import { readItems, type Item } from './model.ts';
import { presentItem } from './present.ts';

interface ActionReference {
  readonly action: string;
  readonly label: string;
  readonly record: string | null;
  readonly input: unknown;
}

/** Returns whether a reference to an action is shown: declared, allowed, and with a record exactly when the action takes one that the role sees. */
export const canSeeActionReference = (
  { actions }: Definition,
  access: Access,
  { action, record }: Pick<ActionReference, 'action' | 'record'>,
): boolean => {
  const declared = actions.get(action);
  if (declared === undefined || !access.can('action', action, 'run')) return false;
  return declared.resource === null ? record === null : record !== null && access.sees('resource', declared.resource);
};

/** The blocks that name items, records or actions, as blocks/validateBlocks.ts lets them pass. */
type ReferenceBlock =
  | { readonly type: 'record'; readonly record: { readonly resource: string } }
  | { readonly type: 'actions'; readonly actions: readonly ActionReference[] }
  | { readonly type: 'items'; readonly items: readonly { readonly id: string }[] };

const isReferenceBlock = (block: Block): block is Block & ReferenceBlock =>
  block.type === 'record' || block.type === 'actions' || block.type === 'items';

const itemIds = (blocks: readonly Block[]): string[] =>
  blocks.flatMap((block) => (isReferenceBlock(block) && block.type === 'items' ? block.items.map(({ id }) => id) : []));

const presentBlock = (caller: Caller, block: Block, items: ReadonlyMap<string, Item>): Block[] => {
  const { env, principal } = caller;
  if (!isReferenceBlock(block)) return [block];
  switch (block.type) {
    case 'record':
      return principal.access.sees('resource', block.record.resource) ? [block] : [];
    case 'actions': {
      const shown = block.actions.filter((reference) =>
        canSeeActionReference(env.definition, principal.access, reference),
      );
      return [
        {
          ...block,
          actions: shown.map((reference) => ({
            ...reference,
            label:
              reference.label === reference.action
                ? (env.definition.actions.get(reference.action)?.label ?? reference.label)
                : reference.label,
          })),
        },
      ];
    }
    case 'items':
      return [
        {
          ...block,
          items: block.items.flatMap(({ id }) => {
            const item = items.get(id);
            return item === undefined || findVisibleInbox(caller, item.inbox) === undefined
              ? []
              : [presentItem(item, principal.access)];
          }),
        },
      ];
  }
};

/** Returns checked blocks as the caller sees them, with the first `limits.pageMax` items that they name. */
export const presentBlocks = async (db: Db, caller: Caller, blocks: readonly Block[]): Promise<Block[]> => {
  const ids = [...new Set(itemIds(blocks))].slice(0, limits.pageMax);
  const items = await readItems(db, caller.env.id, ids);
  return blocks.flatMap((block) => presentBlock(caller, block, items));
};
