/**
 * What of checked blocks a caller sees (contract section 2): items and actions as its role has them, and nothing of
 * records that it doesn't see. Called wherever blocks are answered.
 */
import type { Access } from '../access/access.ts';
import type { Caller } from '../access/principal.ts';
import type { Block } from '../applink/protocol.ts';
import { limits } from '../catalogue/limits.ts';
import type { Db } from '../platform/db/knex.ts';
import type { Definition } from '../environments/definition.ts';
import { readItems, type Item } from './model.ts';
import { itemJson } from './present.ts';
import { findVisibleInbox } from '../access/gates.ts';

interface ActionReference {
  readonly action: string;
  readonly label: string;
  readonly record: string | null;
  readonly input: unknown;
}

/** Whether a reference to an action is shown: declared, allowed, and with a record exactly when it takes one that is seen. */
export const canSeeActionReference = (
  { actions }: Definition,
  access: Access,
  { action, record }: Pick<ActionReference, 'action' | 'record'>,
): boolean => {
  const declared = actions.get(action);
  if (declared === undefined || !access.can('action', action, 'run')) return false;
  return declared.resource === null ? record === null : record !== null && access.sees('resource', declared.resource);
};

const itemIds = (blocks: readonly Block[]): string[] =>
  blocks.flatMap((block) => (block.type === 'items' ? (block['items'] as { id: string }[]).map(({ id }) => id) : []));

const presentBlock = (caller: Caller, block: Block, items: ReadonlyMap<string, Item>): Block[] => {
  const { env, principal } = caller;
  switch (block.type) {
    case 'record':
      return principal.access.sees('resource', (block['record'] as { resource: string }).resource) ? [block] : [];
    case 'actions': {
      const shown = (block['actions'] as ActionReference[]).filter((reference) =>
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
          items: (block['items'] as { id: string }[]).flatMap(({ id }) => {
            const item = items.get(id);
            return item === undefined || findVisibleInbox(caller, item.inbox) === undefined
              ? []
              : [JSON.parse(itemJson(item, principal.access)) as unknown];
          }),
        },
      ];
    default:
      return [block];
  }
};

/** The blocks of `checkedBlocks` as the caller sees them, with the first 200 items that they name, as many as a list's page has. */
export const presentBlocks = async (db: Db, caller: Caller, blocks: readonly Block[]): Promise<Block[]> => {
  const ids = [...new Set(itemIds(blocks))].slice(0, limits.pageMax);
  const items = await readItems(db, caller.env.id, ids);
  return blocks.flatMap((block) => presentBlock(caller, block, items));
};
