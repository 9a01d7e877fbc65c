/** The rows of the tools for actions and their runs; each action has a tool of its own (../actions.ts). */
import { getEndpoint } from '../endpoints.ts';
import { canRunAnyAction, canStartRuns } from '../rights.ts';
import { createTool, type Tool } from '../tool.ts';

export const actionTools: readonly Tool[] = [
  createTool({
    name: 'list_actions',
    endpoint: getEndpoint('action.list'),
    isListed: canRunAnyAction,
    description: 'Actions of your role, each by its own tool, action_<name>.',
  }),
  createTool({
    name: 'available_actions',
    endpoint: getEndpoint('action.available'),
    isListed: canRunAnyAction,
    hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    schemas: { refs: { type: 'array', items: { type: 'object' }, description: '[{ resource, id }]' } },
    description: 'Which actions apply to records now, with inputs, and why others don’t.',
  }),
  createTool({
    name: 'list_runs',
    endpoint: getEndpoint('run.list'),
    isListed: canRunAnyAction,
    say: { action: '', status: '' },
    description: 'Runs of actions, newest first.',
  }),
  createTool({
    name: 'get_run',
    endpoint: getEndpoint('run.get'),
    isListed: canRunAnyAction,
    description: 'How a run stands; unknown: nobody knows whether it was done.',
  }),
  createTool({
    name: 'cancel_run',
    endpoint: getEndpoint('run.cancel'),
    isListed: canStartRuns,
    hints: { idempotentHint: true },
    description: 'Takes a run back that has not begun.',
  }),
  createTool({
    name: 'retry_run',
    endpoint: getEndpoint('run.retry'),
    isListed: canStartRuns,
    hints: { destructiveHint: true, openWorldHint: true },
    description: 'Runs again what failed, expired or ended unknown (look first).',
  }),
];
