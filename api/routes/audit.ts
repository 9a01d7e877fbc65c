/** The endpoints of the audit log. */
import { fault } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import {
  cursorSchema,
  limitSchema,
  nextCursorSchema,
  nullable,
  responseObject,
  strictObject,
  timeSchema,
  Type,
} from '../../shared/platform/core/schema.ts';
import { readAudit } from '../../shared/views/audit.ts';
import { readEndpoint, type Endpoint } from '../endpoint.ts';

const filter = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }));

const entry = responseObject({
  id: Type.String({ pattern: '^aud_' }),
  at: Type.Integer(),
  actor: responseObject({
    type: Type.String(),
    id: nullable(Type.String()),
    name: Type.String(),
    role: nullable(Type.String()),
  }),
  verb: Type.String({ description: 'What was done or tried, e.g. item.state.' }),
  target: responseObject({ type: nullable(Type.String()), id: nullable(Type.String()) }),
  outcome: Type.Union([Type.Literal('ok'), Type.Literal('denied'), Type.Literal('failed')]),
  count: Type.Integer({
    minimum: 1,
    description:
      'How often; above 1 for refusals that repeated: of one principal, verb and target the first has an entry at once, the others of the next minute have one together.',
  }),
  before: nullable(Type.Object({})),
  after: nullable(Type.Object({})),
  requestId: nullable(Type.String()),
  address: nullable(Type.String()),
});

const list = readEndpoint({
  path: '/audit',
  name: 'audit.list',
  summary: 'Everything that was done, and what was refused, newest first',
  tag: 'Audit',
  query: strictObject({
    actor: filter('The id of who did it.'),
    verb: filter('What was done, e.g. item.state.'),
    target: filter('The id of what it was done to.'),
    from: Type.Optional(timeSchema('From this time on')),
    to: Type.Optional(timeSchema('Before this time')),
    cursor: Type.Optional(cursorSchema),
    limit: Type.Optional(limitSchema),
  }),
  responses: { 200: responseObject({ entries: Type.Array(entry), cursor: nextCursorSchema }) },
  example: { query: { verb: 'item.state', limit: 20 } },
  handle: async ({ deps, caller, query }) => {
    const { env, principal } = caller;
    if (!principal.access.may('audit', 'see')) throw fault('forbidden');
    const { cursor: given, limit: size, ...rest } = query;
    // Entries of a time have cursors of another form.
    const timed = rest.from !== undefined || rest.to !== undefined;
    const key = `audit${timed ? '.time' : ''}:${JSON.stringify([principal.role?.id, rest])}`;
    const after = env.seal.openCursor(key, given)?.map(Number) ?? null;
    const page = await readAudit(deps.db, caller, rest, after, size ?? limits.pageDefault);
    return {
      status: 200,
      body: { entries: page.entries, cursor: page.next === null ? null : env.seal.cursor(key, page.next) },
    };
  },
});

export const auditEndpoints: readonly Endpoint[] = [list];
