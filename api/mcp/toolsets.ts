/** The sets of tools that an address may be narrowed to with `?tools=`. Used by server.ts and endpoint.ts. */
import { csvListSchema, strictObject, Type, type Static } from '../../shared/platform/json/schema.ts';
import type { Tool } from './tool.ts';
import { itemTools } from './tools/items.ts';
import { overviewTools } from './tools/overview.ts';
import { recordTools } from './tools/records.ts';
import { flagTools, bulkTools, actionTools, approvalTools } from './tools/work.ts';

const toolsets = {
  items: [...itemTools, ...bulkTools],
  records: recordTools,
  actions: actionTools,
  flags: flagTools,
  approvals: approvalTools,
} as const;

export type ToolsetName = keyof typeof toolsets;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table
export const toolsetNames = Object.keys(toolsets) as ToolsetName[];

export const toolsQuery = strictObject({
  tools: Type.Optional(
    csvListSchema(Type.Union(toolsetNames.map((name) => Type.Literal(name))), 'Sets of tools to list; absent: all'),
  ),
  answers: Type.Optional(
    Type.Union([Type.Literal('text'), Type.Literal('structured')], {
      description:
        'text: tools answer JSON as text; structured: as structuredContent, with an outputSchema each; absent: text.',
    }),
  ),
});
export type ToolsQuery = Static<typeof toolsQuery>;

/** Returns the fixed tools of these sets, those of every set first. */
export const toolsOf = (names: readonly ToolsetName[]): Tool[] => [
  ...overviewTools,
  ...names.flatMap((name) => toolsets[name]),
];
