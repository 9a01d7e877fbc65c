/** The endpoints of the audit log. */
import { listCursors } from '../../shared/accounts/access/listCursors.ts';
import { recordFilterSchema } from '../../shared/app/manifest/itemQuery.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { archivedMember } from '../../shared/platform/journal/pastEvents.ts';
import {
  archivedBeforeSchema,
  cursorSchema,
  limitSchema,
  nextCursorSchema,
  nullable,
  responseObject,
  strictObject,
  timeSchema,
  Type,
} from '../../shared/platform/json/schema.ts';
import { isAuditTimed, readAudit } from '../../shared/views/audit.ts';
import { readEndpoint, type Endpoint } from '../endpoint.ts';

const filter = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }));

const actorKind = (description: string) =>
  Type.Union([Type.Literal('agent'), Type.Literal('person'), Type.Literal('app'), Type.Literal('system')], {
    description,
  });

export const auditEntrySchema = responseObject({
  id: Type.String({ pattern: '^aud_', description: 'Id.' }),
  at: Type.Integer({ description: 'When (milliseconds since 1970 UTC).' }),
  actor: responseObject(
    {
      type: actorKind('Type.'),
      id: nullable(Type.String({ description: 'Their id; null: not known.' })),
      name: Type.String({ description: 'Their name.' }),
      role: nullable(Type.String({ description: 'Their role then.' })),
    },
    { description: 'Who did it.' },
  ),
  verb: Type.String({ description: 'What was done or tried, e.g. item.state.' }),
  target: responseObject(
    {
      type: nullable(Type.String({ description: 'What kind of thing.' })),
      id: nullable(Type.String({ description: 'Id.' })),
    },
    { description: 'What it was done to.' },
  ),
  outcome: Type.Union([Type.Literal('ok'), Type.Literal('denied'), Type.Literal('failed')], {
    description: 'Done, refused, or tried in vain.',
  }),
  count: Type.Integer({
    minimum: 1,
    description: 'How often, of refusals within a minute.',
  }),
  before: nullable(Type.Object({}, { description: 'Before.' })),
  after: nullable(Type.Object({}, { description: 'After.' })),
  reason: nullable(Type.String({ description: 'Why, in the words of who did it.' })),
  requestId: nullable(Type.String({ description: 'The x-request-id.' })),
  address: nullable(Type.String({ description: 'From where.' })),
});

const list = readEndpoint({
  path: '/audit',
  standby: true,
  name: 'audit.list',
  summary: 'Everything that was done, and what was refused, newest first',
  tag: 'Audit',
  query: strictObject({
    actor: filter('The id of who did it.'),
    actorKind: Type.Optional(actorKind('Their kind.')),
    verb: filter('What was done.'),
    target: filter('The id of what it was done to.'),
    record: Type.Optional(recordFilterSchema),
    from: Type.Optional(timeSchema('From this time on')),
    to: Type.Optional(timeSchema('Before this time')),
    cursor: Type.Optional(cursorSchema),
    limit: Type.Optional(limitSchema),
  }),
  responses: {
    200: responseObject({
      entries: Type.Array(auditEntrySchema),
      cursor: nextCursorSchema,
      archivedBefore: Type.Optional(archivedBeforeSchema),
    }),
  },
  example: { query: { verb: 'item.state', limit: 20 } },
  authorize: ({ principal }) => {
    if (!principal.access.may('audit', 'see')) throw fault('forbidden');
  },
  handle: async ({ deps, caller, query }) => {
    const { cursor: given, limit: size, ...rest } = query;
    // Entries in order of time have cursors of another form.
    const cursors = listCursors(caller, isAuditTimed(rest) ? 'audit.time' : 'audit', [rest]);
    const after = cursors.open(given)?.map(Number) ?? null;
    const page = await readAudit(deps, caller, rest, after, size ?? limits.pageDefault);
    const archived = archivedMember(deps.directory.past(), { next: page.next, since: rest.from });
    return { status: 200, body: { entries: page.entries, cursor: cursors.next(page.next), ...archived } };
  },
});

export const auditEndpoints: readonly Endpoint[] = [list];
