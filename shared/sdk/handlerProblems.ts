/**
 * Finds what an app declares without the handler that serves it, and functions that nothing calls: the service can't see
 * either, and types don't reach apps in plain JavaScript. Used by connect.ts, `testApp` and the command `check`.
 */
import { didYouMean } from '../platform/words/nearestNames.ts';
import type { App } from './defineApp.ts';
import { isObject } from './peer.ts';
import type { LinkProblem } from './problems.ts';

type Problems = LinkProblem['details'];
type Members = Readonly<Record<string, unknown>>;

const readHandlers = ['search', 'list', 'get'] as const;
const handlers = {
  resource: [...readHandlers, 'related', 'detail', 'available'],
  inbox: ['detail'],
  action: ['run'],
  reply: ['send'],
  block: ['load'],
  triage: ['answer'],
} as const;

const isMissing = (declared: Members, handler: string): boolean => typeof declared[handler] !== 'function';

const missing = (declared: Members, handler: string, path: string, why: string): Problems =>
  isMissing(declared, handler) ? [{ path: `${path}.${handler}`, message: `must be a function: ${why}` }] : [];

/** Returns a problem for each function that is no handler of such a thing, and for each handler that is no function. */
const stray = (declared: Members, kind: keyof typeof handlers, path: string): Problems => {
  const known: readonly string[] = handlers[kind];
  return Object.entries(declared).flatMap(([name, value]) =>
    typeof value === 'function' && !known.includes(name)
      ? [{ path: `${path}.${name}`, message: `is a function, and no handler${didYouMean(name, known)}` }]
      : [],
  );
};

const inResource = (resource: Members, path: string): Problems => {
  const relations: readonly unknown[] = Array.isArray(resource['relations']) ? resource['relations'] : [];
  const own = relations.find((one) => isObject(one) && one['field'] === undefined && one['key'] === undefined);
  return [
    ...stray(resource, 'resource', path),
    ...(resource['source'] === 'app'
      ? readHandlers.flatMap((name) => missing(resource, name, path, 'the resource’s source is app'))
      : []),
    ...(isObject(own)
      ? missing(resource, 'related', path, `the relation ${String(own['name'])} has neither field nor key`)
      : []),
  ];
};

const inInbox = (inbox: Members, path: string): Problems => {
  const { reply } = inbox;
  return [
    ...stray(inbox, 'inbox', path),
    ...(isObject(reply) ? stray(reply, 'reply', `${path}.reply`) : []),
    ...(isObject(reply) && reply['via'] === 'app'
      ? missing(reply, 'send', `${path}.reply`, 'replies go by the app')
      : []),
  ];
};

const inPage = ({ blocks }: Members, path: string): Problems =>
  (Array.isArray(blocks) ? blocks : []).flatMap((block: unknown, i) => {
    if (!isObject(block)) return [];
    const at = `${path}.blocks.${String(i)}`;
    const isOfApp = block['source'] === 'app' || block['load'] !== undefined;
    return [...stray(block, 'block', at), ...(isOfApp ? missing(block, 'load', at, 'the app fills the block') : [])];
  });

const inAction = (action: Members, path: string): Problems => [
  ...stray(action, 'action', path),
  ...missing(action, 'run', path, 'it does what the action says'),
];

/** Returns the problems of the triage of an inbox, which stands apart from it. */
const inTriage = (triage: unknown, name: string, inboxes: readonly string[]): Problems => {
  const path = `triage.${name}`;
  if (!inboxes.includes(name))
    return [{ path, message: `is of an inbox that is not declared${didYouMean(name, inboxes)}` }];
  if (!isObject(triage)) return [{ path, message: 'must be an object' }];
  return [
    ...stray(triage, 'triage', path),
    ...(triage['answer'] === undefined ? [] : missing(triage, 'answer', path, 'it answers for new items')),
  ];
};

/** Returns the problems of an app's handlers, each with its path in the manifest. */
export const handlerProblems = ({ resources, inboxes, actions, pages, triage }: App): Problems => {
  const each = (
    declared: ReadonlyMap<string, unknown>,
    kind: string,
    look: (one: Members, path: string) => Problems,
  ): Problems => [...declared.values()].flatMap((one, i) => (isObject(one) ? look(one, `${kind}.${String(i)}`) : []));
  return [
    ...each(resources, 'resources', inResource),
    ...each(inboxes, 'inboxes', inInbox),
    ...each(actions, 'actions', inAction),
    ...each(pages, 'pages', inPage),
    ...[...triage].flatMap(([name, one]) => inTriage(one, name, [...inboxes.keys()])),
  ];
};
