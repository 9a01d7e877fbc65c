/** `defineApp`: keeps an app's handlers for requestHandler.ts and makes the manifest that link.ts registers. */
import type { Json } from '../app/link/protocol.ts';
import type { AppDeclaration, AppTypes } from './appDeclaration.ts';
import type { Action, Field, Inbox, Resource, Triage } from './declarations.ts';
import type { RunCall, RunResult } from './handlers.ts';
import type { Page } from './pages.ts';
import { isObject } from './peer.ts';

/** An action of any input type. The service has checked the input by the action's schema before the handler gets it. */
export type AnyAction = Omit<Action, 'run'> & {
  readonly run: (call: RunCall<never, never, never>) => RunResult | Promise<RunResult>;
};

/** What `defineApp` returns and `connect` takes: the manifest, and the declarations with their handlers by name. */
export interface App<T extends AppTypes = AppTypes> {
  /** What the service is told: all declarations without their handlers, as JSON. */
  readonly manifest: Json;
  readonly resources: ReadonlyMap<string, Resource>;
  readonly inboxes: ReadonlyMap<string, Inbox>;
  readonly actions: ReadonlyMap<string, AnyAction>;
  readonly pages: ReadonlyMap<string, Page>;
  readonly triage: ReadonlyMap<string, Triage>;
  /** For the compiler alone: there is no such member. */
  readonly '~types'?: T;
}

/** Returns the declaration's members that the service is told: no handlers, and nothing that is undefined. */
const withoutHandlers = (declaration: object): Json =>
  Object.fromEntries(
    Object.entries(declaration).filter(([, value]) => value !== undefined && typeof value !== 'function'),
  );

/** Returns a declaration as the service is told it, under the name that is its key; what is no object stays, for the service to refuse. */
const named = <T extends object>(
  [name, declared]: readonly [string, T],
  tell: (declared: T) => Json = withoutHandlers,
  member: 'name' | 'key' = 'name',
): Json =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- types refuse what is no object, and so does the service
  (isObject(declared) ? { ...tell(declared), [member]: name } : declared) as Json;

const triageOf = (triage: Triage | undefined): Json | undefined =>
  // Of a null, which plain JavaScript may have here, handlerProblems.ts tells.
  isObject(triage)
    ? { ...withoutHandlers(triage), rules: triage.rules ?? [], app: triage.answer !== undefined }
    : undefined;

const inboxOf = ({ reply, ...inbox }: Inbox, triage: Triage | undefined): Json =>
  withoutHandlers({
    ...withoutHandlers(inbox),
    reply: isObject(reply) ? withoutHandlers(reply) : reply,
    triage: triageOf(triage),
  });

const blockOf = (block: Page['blocks'][number]): Json =>
  isObject(block) && block.load !== undefined ? { ...withoutHandlers(block), source: 'app' } : block;

const pageOf = (page: Page): Json => ({
  ...withoutHandlers(page),
  blocks: Array.isArray(page.blocks) ? (page.blocks as Page['blocks']).map(blockOf) : page.blocks,
});

/** Of a `run` that is no function handlerProblems.ts tells. */
const actionOf = ({ run: _run, ...action }: AnyAction): Json => withoutHandlers(action);

type Declared = Readonly<Record<string, unknown>>;
type None = Readonly<Record<never, never>>;
type Lists<T> = Readonly<Record<string, T>>;
/** A declaration of which no names are known. */
type AnyDeclaration = Omit<
  AppDeclaration<Lists<readonly Field[]>, Lists<object>, Lists<string>, Lists<string>, Declared>,
  'triage'
> & { readonly triage?: Lists<Triage> };

const sections = new Set(['resources', 'inboxes', 'views', 'actions', 'pages', 'flags', 'triage']);
/** Returns the members of a declaration that don't exist, for the service to refuse: one that is misspelt is not dropped. */
const unknownSections = (declaration: object): Json =>
  Object.fromEntries(
    Object.entries(declaration).flatMap(([name, value]) =>
      value === undefined || sections.has(name) ? [] : [[name, null]],
    ),
  );

const entries = <T>(declared: Readonly<Record<string, T>> | undefined): readonly (readonly [string, T])[] =>
  Object.entries(declared ?? {});

/**
 * Declares an app: what there is, and beside each declaration the handler that serves it. An action's `input` is typed
 * from its JSON Schema.
 *
 * Never throws. `connect` checks that each declaration has its handler, and the service checks the declarations when the app
 * connects; `onError` of `connect` gets one `LinkProblem` of kind `refused` that lists every problem with its path.
 *
 * @example
 * const app = defineApp({
 *   resources: { order: { source: 'stored', fields: [{ name: 'total', type: 'money', sort: true }] } },
 *   inboxes: { support: { label: 'Support', responseTime: 4 * 3_600_000 } },
 *   actions: {
 *     refund: {
 *       resource: 'order',
 *       danger: 'high',
 *       input: { type: 'object', required: ['amount'], properties: { amount: { type: 'number', minimum: 0 } } },
 *       run: async ({ run, record, input }) => {
 *         await shop.refund({ order: record.id, amount: input.amount, idempotencyKey: run });
 *         return `Refunded ${String(input.amount)}.`;
 *       },
 *     },
 *   },
 * });
 */
export const defineApp = <
  const R extends Declared = None,
  const F extends Declared = None,
  const S extends Declared = None,
  const V extends Declared = None,
  const A extends Declared = None,
  const G extends Declared = None,
  const P extends Declared = None,
>(
  declaration: AppDeclaration<R, F, S, V, A, G, P>,
): App<{
  readonly resources: NoInfer<R>;
  readonly sources: NoInfer<P>;
  readonly inboxes: NoInfer<F>;
  readonly actions: NoInfer<A>;
  readonly flags: NoInfer<G>;
}> => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same declaration, its names and schemas as texts and objects
  const app = declaration as unknown as AnyDeclaration;
  const actions = entries<AnyAction>(app.actions);
  const triage = new Map(entries(app.triage));
  return {
    resources: new Map(entries(app.resources)),
    inboxes: new Map(entries(app.inboxes)),
    actions: new Map(actions),
    pages: new Map(entries(app.pages)),
    triage,
    manifest: {
      ...unknownSections(app),
      resources: entries(app.resources).map((each) => named(each)),
      inboxes: entries(app.inboxes).map((each) => named(each, (inbox) => inboxOf(inbox, triage.get(each[0])))),
      views: entries(app.views).map((each) => named(each)),
      actions: actions.map((each) => named(each, actionOf)),
      pages: entries(app.pages).map((each) => named(each, pageOf)),
      flags: entries(app.flags).map((each) => named(each, withoutHandlers, 'key')),
    },
  };
};
