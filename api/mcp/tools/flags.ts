/** The rows of the tools for feature flags. */
import { Type } from '../../../shared/platform/json/schema.ts';
import { compactFlagEntry } from '../answers/kinds.ts';
import { getEndpoint } from '../endpoints.ts';
import { canChangeAnyFlag, canSeeAny } from '../rights.ts';
import { createTool, type Tool } from '../tool.ts';

const ramp = {
  type: ['object', 'null'],
  description:
    '{to, over: 1d, every: 1h, at: start, guard: {inbox, tag, above, within, then: stop|rollback}}: moves the rollout by itself; more than above occurrences within a time end it; null stops it.',
};

export const flagTools: readonly Tool[] = [
  createTool({
    name: 'list_flags',
    endpoint: getEndpoint('flag.list'),
    isListed: canSeeAny('flag'),
    description: 'Feature flags: value, rollout, ramp, numbers of targets and rules.',
  }),
  createTool({
    name: 'get_flag',
    endpoint: getEndpoint('flag.get'),
    isListed: canSeeAny('flag'),
    description: 'One feature flag as it is now.',
  }),
  createTool({
    name: 'get_flag_history',
    endpoint: getEndpoint('flag.history'),
    kinds: { entries: compactFlagEntry },
    isListed: canSeeAny('flag'),
    description: 'What changed a flag, newest first, by whom and why.',
  }),
  createTool({
    name: 'change_flag',
    endpoint: getEndpoint('flag.change'),
    isListed: canChangeAnyFlag,
    own: {
      replace: Type.Optional(Type.Boolean({ description: 'True for what ends the running ramp.' })),
    },
    say: { replace: 'true: ends a running ramp.' },
    schemas: {
      change: {
        type: 'object',
        properties: {
          value: {},
          rollout: { type: ['number', 'null'], description: 'Percent.' },
          targets: { type: 'object', description: 'Values by record id, merged; null removes.' },
          rules: { type: 'array', description: 'All: {when: {field, op, value}, value | rollout}' },
          ramp,
        },
      },
    },
    hints: { destructiveHint: true, openWorldHint: true },
    description: 'Changes a feature flag for the app’s users; what change leaves out stays.',
  }),
];
