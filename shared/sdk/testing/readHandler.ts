/** Calls a handler that reads as the service does, and checks what it answers. For testApp.ts. */
import { linkLimits, type Actor, type Json } from '../../app/link/protocol.ts';
import type { Block } from '../blocks.ts';
import type { App } from '../defineApp.ts';
import { formatProblem } from '../formatProblem.ts';
import { cleanJson, encodeFrame, frameProblem } from '../frames.ts';
import { createMethodTable } from '../methodTable.ts';
import { createItem } from './testItems.ts';
import type { ReadMethod, ReadParams } from './testTypes.ts';
import { recordListProblems, validateBlocks, type Definition } from './validators.ts';

const usualLimit = 50;

const defaultsFor = (actor: Actor): Readonly<Partial<Record<ReadMethod, object>>> => ({
  'records.search': { limit: usualLimit },
  'records.list': { q: null, filters: {}, sort: null, cursor: null, limit: usualLimit },
  'records.related': { cursor: null, limit: usualLimit },
  'item.blocks': { latestOccurrence: null },
  'page.block': { title: null, params: {}, actor },
});

/** Returns the answer as the service gets it. */
const toAnswer = (method: ReadMethod, answer: unknown): Json => {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw new TypeError('The handler must return an object.');
  if (encodeFrame({ id: 0, result: answer }) === undefined)
    throw new TypeError(
      formatProblem(`What ${method} answered is not valid:`, [frameProblem({ id: 0, result: answer }, answer)]),
    );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same object, as it goes over the wire
  return JSON.parse(cleanJson(JSON.stringify(answer))) as Json;
};

/** Returns the blocks as the service shows them: an invalid one is an `error` block. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service's form of what the handler returned
const shownBlocks = (blocks: unknown): Block[] => validateBlocks(blocks) as Block[];

interface ReadParts {
  readonly app: App;
  readonly definition: Definition;
  readonly actor: Actor;
}

/** Returns what the service makes of the answer. Rejects with what the handler throws, and for an answer that the service refuses. */
export const readHandler = async (
  { app, definition, actor }: ReadParts,
  method: ReadMethod,
  given: ReadParams[ReadMethod],
): Promise<unknown> => {
  const item = 'item' in given ? { item: createItem(definition, given.item.inbox, given.item) } : {};
  const params: Json = { ...defaultsFor(actor)[method], ...given, ...item };
  const handler = createMethodTable(app)[method];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parameters are those of the method
  const answer = toAnswer(method, await handler(params as never, AbortSignal.timeout(linkLimits.readMs)));
  if (method === 'page.block') return { block: shownBlocks([answer['block']])[0] };
  if (method === 'item.blocks' || method === 'record.blocks')
    return { ...answer, blocks: shownBlocks(answer['blocks'] ?? []) };
  if (method === 'action.available') return answer;
  const { limit } = params;
  const problems = recordListProblems(answer, typeof limit === 'number' ? limit : undefined);
  if (problems.length > 0) throw new TypeError(formatProblem(`What ${method} answered is not valid:`, problems));
  return answer;
};
