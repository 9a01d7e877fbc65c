/** The rows of the tools that every set has: who one is, whom one works with, what has changed. */
import { limits } from '../../../shared/catalogue/limits.ts';
import { Type } from '../../../shared/platform/json/schema.ts';
import { compactCounts } from '../answers/kinds.ts';
import { resolveActors } from '../arguments/actors.ts';
import { getEndpoint } from '../endpoints.ts';
import { anyCaller, canInAnyInbox, canSeeAnyInbox } from '../rights.ts';
import { createTool, type Tool } from '../tool.ts';

export const overviewTools: readonly Tool[] = [
  createTool({
    name: 'get_me',
    endpoint: getEndpoint('me'),
    isListed: anyCaller,
    description: 'Who you are, your mode (supervised: each change waits for a person), your rights, the time now.',
  }),
  createTool({
    name: 'list_people',
    endpoint: getEndpoint('person.list'),
    isListed: canInAnyInbox('assign'),
    say: { inbox: '', q: 'Beginning of a name.' },
    description: 'People whom items can be assigned to, with their open items; who can work first.',
  }),
  createTool({
    name: 'list_changes',
    endpoint: getEndpoint('live.changes'),
    isListed: anyCaller,
    own: {
      since: Type.Optional(
        Type.Union([Type.Integer({ minimum: 0, description: 'A time (milliseconds since 1970 UTC).' }), Type.String()]),
      ),
      by: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: limits.filterValues })),
      exceptMe: Type.Optional(Type.Boolean({ description: 'Only what others did.' })),
    },
    schemas: {
      since: { type: 'string', description: 'Time, 2h, or the cursor of the call before; absent: now.' },
      by: { type: 'array', items: { type: 'string' }, description: 'People, agents, me.' },
    },
    say: { wait: 'Up to 30s.', types: '', inboxes: '', exceptMe: '' },
    hidden: ['after'],
    prepare: resolveActors,
    givenPath: (path) => (path === 'after' ? 'since' : path),
    canLookAhead: null,
    description: 'What has changed since a time, one message a request; 24 hours are kept.',
  }),
  createTool({
    name: 'get_counts',
    endpoint: getEndpoint('count.get'),
    isListed: canSeeAnyInbox,
    kinds: { inboxes: compactCounts },
    description:
      'Numbers of items by inbox, of those that are work now (active), and of approvals that wait; detail: full has states.',
  }),
  createTool({
    name: 'search',
    endpoint: getEndpoint('search'),
    isListed: canSeeAnyInbox,
    say: { q: '', types: '', cursor: 'Of an incomplete answer.' },
    canLookAhead: false,
    description: 'Items and records with all words anywhere (texts, notes, replies), best first.',
  }),
];
