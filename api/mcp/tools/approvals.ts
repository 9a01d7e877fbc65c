/** The rows of the tools for approvals, which people decide. */
import { resolveRequester } from '../arguments/actors.ts';
import { getEndpoint } from '../endpoints.ts';
import { canRequestApproval, canSeeApprovals } from '../rights.ts';
import { createTool, type Tool } from '../tool.ts';

export const approvalTools: readonly Tool[] = [
  createTool({
    name: 'list_approvals',
    endpoint: getEndpoint('approval.list'),
    isListed: canSeeApprovals,
    say: { status: 'pending unless given.' },
    prepare: resolveRequester,
    description: 'Requests that wait for a person.',
  }),
  createTool({
    name: 'get_approval',
    endpoint: getEndpoint('approval.get'),
    isListed: canSeeApprovals,
    description: 'How a request stands, who decided it and what they said.',
  }),
  createTool({
    name: 'cancel_approval',
    endpoint: getEndpoint('approval.cancel'),
    isListed: canRequestApproval,
    hints: { idempotentHint: true },
    description: 'Takes back a request of your own that nobody has decided.',
  }),
];
