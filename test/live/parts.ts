/** Parts of stream rows, as the workers' changes would leave them. */
import { newId } from '../../shared/platform/ids.ts';

const by = { type: 'agent', id: 'agt_01h455vb4pex5vsknk084sn02q', name: 'Robin' };

export const item = (title: string, more: Record<string, unknown> = {}): Record<string, unknown> => {
  const inbox = (more['inbox'] as string | undefined) ?? 'support';
  const fields = { id: newId('itm'), inbox, title, state: 'open', record: null, tags: [], version: 1, ...more };
  return { type: 'item', inbox, change: 'changed', item: fields, by };
};

export const entry = (type: string, data: Record<string, unknown>, inbox = 'support'): Record<string, unknown> => ({
  type: 'timeline',
  inbox,
  change: 'created',
  item: newId('itm'),
  entry: { id: newId('ent'), type, at: 1, actor: by, data },
});

export const bulk = (
  author: string,
  done: number,
  scope: object | undefined = { inboxes: ['support'], resource: null, isWhole: true },
): Record<string, unknown> => ({
  type: 'bulk',
  bulk: { id: newId('blk'), done, by: { type: 'agent', id: author, name: 'x' }, scope },
});
