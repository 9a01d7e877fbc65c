/** What a manifest declares, as words that calls are routed by: an instance is only asked what it said it can. */
import type { Declaration } from './link.ts';

export const declarationKey = ({ kind, name }: Declaration): string => `${kind}:${name}`;

type Names = readonly { readonly name: string }[] | undefined;

/** The parts of a manifest that calls are routed by. */
interface Declarations {
  readonly actions?: Names;
  readonly resources?: Names;
  readonly pages?: Names;
  readonly inboxes?: Names;
}

/** `action:refund`, `resource:order` (of stored ones too the app may give blocks and say which actions apply), `page:sales`, `inbox:mail`. */
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
