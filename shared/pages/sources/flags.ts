/** A table of the flags that the role sees. */
import type { Caller } from '../../agents/principal.ts';
import type { Deps } from '../../deps.ts';
import { readQuery } from '../query.ts';
import { tableBlock } from '../table.ts';
import type { Resolve } from './context.ts';

const columns = [
  { name: 'flag', label: 'Flag', type: 'text' },
  { name: 'kind', label: 'Kind', type: 'text' },
  { name: 'value', label: 'Value', type: 'text' },
  { name: 'description', label: 'Description', type: 'text' },
];

/** One row per flag, by name; a flag's value is the one that was declared. */
const flagRows = async (_deps: Deps, { env, principal }: Caller): Promise<Record<string, unknown>[]> =>
  [...env.definition.flags.values()]
    .filter(({ key }) => principal.access.sees('flag', key))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map((flag) => ({ flag: flag.key, kind: flag.kind, value: flag.default, description: flag.description ?? null, danger: flag.danger ?? null, approval: flag.approval ?? false }));

export const flagsBlock: Resolve = async ({ deps, caller, params }, block) => {
  readQuery('flags', block, params);
  return tableBlock(block, columns, await flagRows(deps, caller));
};
