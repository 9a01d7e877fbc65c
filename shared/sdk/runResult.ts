/** What the handler of an action returned: what is wrong with it, and as the service takes it. For runs.ts and `testApp`. */
import type { ServiceCalls } from '../app/link/protocol.ts';
import { unknownNameMessage } from '../platform/words/nearestNames.ts';
import { countMembers, membersMax } from './batches.ts';
import { encodeFrame, frameProblem } from './frames.ts';
import { isObject } from './peer.ts';
import type { LinkProblem } from './problems.ts';

type Result = ServiceCalls['action.run']['result'];

const members = ['message', 'blocks'] as const;
/** Characters of a message: the service cuts longer ones. */
const messageMax = 10_000;

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
export const toRunResult = (returned: unknown): Result => {
  if (typeof returned === 'string') return { message: returned };
  if (!isObject(returned)) return null;
  const { message, blocks } = returned;
  return { message: typeof message === 'string' ? message : null, ...(Array.isArray(blocks) ? { blocks } : {}) };
};

/**
 * Returns what fits a frame of a result, as its run has succeeded: the beginning of a long message, and no blocks that can't be
 * sent. `report` is told what is left out.
 */
export const toSendableResult = (given: Result, report: (text: string) => void): Result => {
  if (given === null) return null;
  const isLong = typeof given.message === 'string' && given.message.length > messageMax;
  if (isLong) report(`its message has more than ${String(messageMax)} characters and was cut`);
  const result = isLong ? { ...given, message: given.message?.slice(0, messageMax) ?? null } : given;
  const frame = encodeFrame({ id: 0, result });
  if (frame !== undefined && countMembers(frame) <= membersMax) return result;
  const { path, message } = frameProblem({ id: 0, result }, result);
  report(`its blocks were left out, as ${path === '' ? 'the result' : path} ${message}`);
  const text = 'The result was too large to show and was left out.';
  return { message: result.message ?? null, blocks: [{ type: 'text', title: null, text }] };
};
