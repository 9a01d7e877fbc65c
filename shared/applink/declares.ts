/** What a manifest declares, as words that calls are routed by: an instance is only asked what it said it can. */
import type { Manifest } from '../environments/manifest.ts';
import type { Declares } from './link.ts';

export const declared = ({ kind, name }: Declares): string => `${kind}:${name}`;

/** `action:refund`, `resource:order` (of stored ones too the app may give blocks and say which actions apply), `page:sales`, `inbox:mail`. */
export const declaredBy = ({ actions = [], resources = [], pages = [], inboxes = [] }: Manifest): string[] => [
  ...actions.map(({ name }) => declared({ kind: 'action', name })),
  ...resources.map(({ name }) => declared({ kind: 'resource', name })),
  ...pages.map(({ name }) => declared({ kind: 'page', name })),
  ...inboxes.map(({ name }) => declared({ kind: 'inbox', name })),
];
