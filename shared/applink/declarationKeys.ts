/** Keys of what a manifest declares, which calls are routed by: an instance is called only for what it declares. Used by routing.ts and api/applink. */
import type { Declaration } from './link.ts';

/**
 * Returns the key of a declaration. That of an inbox is not `inbox:`, by which earlier releases find whom to send a reply
 * through Redis, where it is not taken any more: their replies wait for a connection that takes them.
 */
export const declarationKey = ({ kind, name }: Declaration): string =>
  `${kind === 'inbox' ? 'repliesOf' : kind}:${name}`;

/**
 * Returns those of the keys that reads alone are routed by. An instance that is stopping keeps these; a key of an action or an
 * inbox also routes runs, replies and triage.
 */
export const readDeclarationKeys = (keys: readonly string[]): string[] =>
  keys.filter((key) => key.startsWith('resource:') || key.startsWith('page:'));

type Names = readonly { readonly name: string }[] | undefined;

/** The parts of a manifest that calls are routed by. */
interface Declarations {
  readonly actions?: Names;
  readonly resources?: Names;
  readonly pages?: Names;
  readonly inboxes?: Names;
}

/** Returns keys such as `action:refund`, `resource:order` (stored resources too: their blocks and actions may come from the app), `page:sales`, `repliesOf:mail`. */
export const manifestDeclarationKeys = ({
  actions = [],
  resources = [],
  pages = [],
  inboxes = [],
}: Declarations): string[] => [
  ...actions.map(({ name }) => declarationKey({ kind: 'action', name })),
  ...resources.map(({ name }) => declarationKey({ kind: 'resource', name })),
  ...pages.map(({ name }) => declarationKey({ kind: 'page', name })),
  ...inboxes.map(({ name }) => declarationKey({ kind: 'inbox', name })),
];
