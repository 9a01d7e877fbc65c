/** Finds the problems of an app's answer to a call, for the notification `app.problem`; the caller gets `502`. Used by session.ts. */
import { validateBlocks } from '../../shared/app/blocks/validateBlocks.ts';
import { parseCallOutcome } from '../../shared/app/link/callOutcome.ts';
import { linkLimits, type ServiceMethod, type ServiceNotifications } from '../../shared/app/link/protocol.ts';
import { isObject } from '../../shared/platform/json/jsonLimits.ts';
import { unknownNameMessage } from '../../shared/platform/words/nearestNames.ts';
import { recordListProblems } from '../../shared/records/recordProblems.ts';

type Problems = ServiceNotifications['app.problem']['problems'];
type Members = Readonly<Record<string, unknown>>;

/** Problems of one answer that are told. */
const problemsMax = 20;

/** Returns a problem for each block that people see as an error in its place. */
const blocksProblems = (given: unknown, path: string): Problems => {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) return [{ path, message: 'must be a list' }];
  const types = given.map((block: unknown) => (isObject(block) ? block['type'] : undefined));
  return validateBlocks(given).flatMap(({ type, error }, i) =>
    type === 'error' && types[i] !== 'error' ? [{ path: `${path}.${String(i)}`, message: String(error) }] : [],
  );
};

const limitOf = (params: string): number | undefined =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the params that the service has sent
  (JSON.parse(params) as { readonly limit?: number }).limit;

const recordsProblems = (result: Members, params: string): Problems => recordListProblems(result, limitOf(params));

const detailProblems = ({ blocks, suggestedActions }: Members): Problems => [
  ...blocksProblems(blocks, 'blocks'),
  ...(suggestedActions === undefined || suggestedActions === null || Array.isArray(suggestedActions)
    ? []
    : [{ path: 'suggestedActions', message: 'must be a list' }]),
  ...(Array.isArray(suggestedActions) ? suggestedActions : []).flatMap((one: unknown, i) =>
    isObject(one) && typeof one['action'] === 'string'
      ? []
      : [{ path: `suggestedActions.${String(i)}.action`, message: 'must be the name of an action' }],
  ),
];

/** Returns a problem for each member of an answer that has none of the known ones. One of a newer app has some of those, and more. */
const strangeMembers = (given: Members, known: readonly string[]): Problems =>
  Object.keys(given)
    .slice(0, problemsMax)
    .map((name) => ({ path: name.slice(0, 100).toWellFormed(), message: unknownNameMessage(name, known) }));

const runProblems = ({ message, blocks, ...others }: Members): Problems => [
  ...(message === undefined && blocks === undefined ? strangeMembers(others, ['message', 'blocks']) : []),
  ...(message === undefined || message === null || typeof message === 'string'
    ? []
    : [{ path: 'message', message: 'must be a string or null' }]),
  ...blocksProblems(blocks, 'blocks'),
];

type Check = (result: Members, params: string) => Problems;
/** Of the other methods every object, and null, is an answer. */
const checks: Partial<Readonly<Record<ServiceMethod, Check>>> = {
  'action.run': runProblems,
  'records.search': recordsProblems,
  'records.list': recordsProblems,
  'records.get': recordsProblems,
  'records.related': recordsProblems,
  'page.block': ({ block }) => blocksProblems([block], 'block').map((one) => ({ ...one, path: 'block' })),
  'item.blocks': detailProblems,
  'record.blocks': detailProblems,
};
const mayBeNull: ReadonlySet<ServiceMethod> = new Set([
  'action.run',
  'item.blocks',
  'record.blocks',
  'triage.answer',
  'reply.send',
]);

const answerForm = `is no answer of JSON-RPC 2.0, or has more than ${String(linkLimits.frameMembers)} members and elements`;

/** Returns the problems of an answer; none when it is valid, or a JSON-RPC error. `message`: the parsed frame. */
export const answerProblems = (method: ServiceMethod, params: string, message: unknown): Problems => {
  const outcome = parseCallOutcome(message);
  if (outcome.kind === 'garbled') return [outcome.problem ?? { path: '', message: answerForm }];
  if (outcome.kind !== 'answer') return [];
  const { result } = outcome;
  if (result === null && mayBeNull.has(method)) return [];
  if (!isObject(result)) return [{ path: 'result', message: 'must be an object' }];
  return (checks[method]?.(result, params) ?? []).slice(0, problemsMax);
};
