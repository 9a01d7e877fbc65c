/** What the handler of an action returned: what is wrong with it, and as the service takes it. For runs.ts and `testApp`. */
import type { ServiceCalls } from '../applink/protocol.ts';
import { unknownNameMessage } from '../platform/core/nearestNames.ts';
import { isObject } from './peer.ts';
import type { LinkProblem } from './problems.ts';

const members = ['message', 'blocks'] as const;

/** Returns what is wrong with what a handler returned: what people would not get to see of it. */
export const runResultProblems = (returned: unknown): LinkProblem['details'] => {
  if (returned === undefined || returned === null || typeof returned === 'string') return [];
  if (!isObject(returned)) return [{ path: 'result', message: 'must be a text, { message, blocks } or nothing' }];
  const { message, blocks } = returned;
  return [
    ...Object.entries(returned).flatMap(([name, value]) =>
      value === undefined || (members as readonly string[]).includes(name)
        ? []
        : [{ path: name, message: unknownNameMessage(name, members) }],
    ),
    ...(message === undefined || message === null || typeof message === 'string'
      ? []
      : [{ path: 'message', message: 'must be a text or null' }]),
    ...(blocks === undefined || Array.isArray(blocks) ? [] : [{ path: 'blocks', message: 'must be a list' }]),
  ];
};

/** Returns what is sent: what is wrong is left out, as the effect is done and the run has succeeded. */
export const toRunResult = (returned: unknown): ServiceCalls['action.run']['result'] => {
  if (typeof returned === 'string') return { message: returned };
  if (!isObject(returned)) return null;
  const { message, blocks } = returned;
  return { message: typeof message === 'string' ? message : null, ...(Array.isArray(blocks) ? { blocks } : {}) };
};
