/** Keys of what a manifest declares, which calls are routed by: an instance is called only for what it declares. Used by routing.ts and api/applink. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../platform/json/jsonLimits.ts';
import type { Declaration } from './link.ts';

/**
 * Returns the key of a declaration. That of an inbox is not `inbox:`, by which earlier releases find whom to send a reply
 * through Redis, where it is not taken any more: their replies wait for a connection that takes them.
 */
const declarationKey = ({ kind, name }: Declaration): string => `${kind === 'inbox' ? 'repliesOf' : kind}:${name}`;

/**
 * Returns those of the keys that reads alone are routed by. An instance that is stopping keeps these; a key of an action or an
 * inbox also routes runs, replies and triage.
 */
export const readDeclarationKeys = (keys: readonly string[]): string[] =>
  keys.filter((key) => key.startsWith('resource:') || key.startsWith('page:'));

/** The input of an action that declares none. */
export const emptyInput = { type: 'object', additionalProperties: false } as const;

/**
 * Returns the key of an action's declared input: that of equal JSON Schemas is the same. A run goes to an instance with the key
 * that its input was checked by, so that no version of an app is given what another one takes.
 */
export const inputKey = (input: object = emptyInput): string =>
  createHash('sha256').update(canonicalJson(input)).digest('base64url').slice(0, 12);

/** The mark of keys that have those of inputs: connections to API processes of earlier releases have none. */
const withInputs = 'inputs';
const inputOf = (action: string, key: string): string => `input:${action}:${key}`;

/** Returns whether an instance with these keys is called for a declaration. */
export const declaresIt = (has: (key: string) => boolean, declaration: Declaration): boolean =>
  has(declarationKey(declaration)) &&
  (declaration.input === undefined || !has(withInputs) || has(inputOf(declaration.name, declaration.input)));

type Names = readonly { readonly name: string }[] | undefined;

/** The parts of a manifest that calls are routed by. */
interface Declarations {
  readonly actions?: readonly { readonly name: string; readonly input?: object }[] | undefined;
  readonly resources?: Names;
  readonly pages?: Names;
  readonly inboxes?: Names;
}

/** Returns keys such as `action:refund`, `input:refund:4kD0x1…`, `resource:order` (stored resources too: their blocks and actions may come from the app), `page:sales`, `repliesOf:mail`. */
export const manifestDeclarationKeys = ({
  actions = [],
  resources = [],
  pages = [],
  inboxes = [],
}: Declarations): string[] => [
  withInputs,
  ...actions.flatMap(({ name, input }) => [declarationKey({ kind: 'action', name }), inputOf(name, inputKey(input))]),
  ...resources.map(({ name }) => declarationKey({ kind: 'resource', name })),
  ...pages.map(({ name }) => declarationKey({ kind: 'page', name })),
  ...inboxes.map(({ name }) => declarationKey({ kind: 'inbox', name })),
];
