/** The source `flags`: a table of the flags that the role sees. For page.ts. */
import { parseBlockQuery } from '../../../environments/pages/query.ts';
import { listFlags } from '../../../flags/read.ts';
import type { BlockResolver } from '../context.ts';
import { tableBlock } from '../table.ts';

const columns = [
  { name: 'flag', label: 'Flag', type: 'text' },
  { name: 'kind', label: 'Kind', type: 'text' },
  { name: 'value', label: 'Value', type: 'text' },
  { name: 'rollout', label: 'Rollout, %', type: 'number' },
  { name: 'description', label: 'Description', type: 'text' },
];

/** Rows; an app can't declare more flags. */
const most = 2_000;

export const flagsBlock: BlockResolver = async ({ deps, caller, params }, block) => {
  parseBlockQuery('flags', block, params);
  const { flags } = await listFlags(deps, caller, { after: null, limit: most });
  return tableBlock(
    block,
    columns,
    flags.map((flag) => ({ ...flag })),
  );
};
