/** Settings: how large the environment is, who has written how much today, and what an agent has done. */
import { listCursors } from '../../../shared/accounts/access/listCursors.ts';
import { requireSeesAgent, requireSeesAgents } from '../../../shared/accounts/settings/agents.ts';
import { dayMs, readWriters } from '../../../shared/accounts/writtenBytes.ts';
import { limits } from '../../../shared/catalogue/limits.ts';
import {
  nullable,
  responseObject,
  strictObject,
  Type,
  nextCursorSchema,
} from '../../../shared/platform/json/schema.ts';
import { readAudit } from '../../../shared/views/audit.ts';
import { type Endpoint, readEndpoint } from '../../endpoint.ts';
import { auditEntrySchema } from '../audit.ts';
import { pageQuerySchema } from '../discovery.ts';
import { requireManager, settingsTag } from './manage.ts';

const activity = readEndpoint({
  path: '/settings/agents/:id/activity',
  about: 'agent',
  name: 'agent.activity',
  summary:
    'What an agent changed, asked for and was refused in this environment, newest first; for people with audit: see',
  tag: settingsTag,
  query: strictObject(pageQuerySchema),
  responses: { 200: responseObject({ entries: Type.Array(auditEntrySchema), cursor: nextCursorSchema }) },
  example: { params: { id: 'agt_01jd0000000000000000000000' }, query: { limit: 20 } },
  authorize: requireSeesAgents,
  handle: async ({ deps, caller, params, query: { cursor: given, limit } }) => {
    const actor = params['id'] ?? '';
    await requireSeesAgent(deps.db, caller, actor);
    const cursors = listCursors(caller, 'activity', [actor]);
    const after = cursors.open(given)?.map(Number) ?? null;
    const page = await readAudit(deps, caller, { actor }, after, limit ?? limits.pageDefault);
    return { status: 200, body: { entries: page.entries, cursor: cursors.next(page.next) } };
  },
});

export const activitySettings: readonly Endpoint[] = [activity];

const bytes = (description: string) => Type.Integer({ minimum: 0, description });

const usage = readEndpoint({
  path: '/settings/usage',
  name: 'settings.usage',
  summary: 'How large this environment is, and who has written how much today',
  tag: settingsTag,
  query: strictObject({}),
  responses: {
    200: responseObject({
      bytes: bytes('About how many bytes this environment has in PostgreSQL.'),
      quota: nullable(bytes('Most bytes that it may have.')),
      limit: nullable(bytes('Most bytes that a principal may write in a day.')),
      resetsAt: Type.Integer({ description: 'When the day ends.' }),
      written: Type.Array(
        responseObject({
          id: Type.String({ description: 'Who.' }),
          name: nullable(Type.String({ description: 'Name.' })),
          bytes: bytes('Bytes written here today.'),
        }),
        { description: 'The most first.' },
      ),
    }),
  },
  example: {},
  authorize: requireManager,
  handle: async (call) => {
    const { deps, caller } = call;
    const { meter, config, clock } = deps;
    await meter.flush();
    const now = clock.now();
    return {
      status: 200,
      body: {
        bytes: await meter.sizeOf(caller.env.id),
        quota: config.quotaBytes,
        limit: config.writeBytesPerDay === 0 ? null : config.writeBytesPerDay,
        resetsAt: (Math.floor(now / dayMs) + 1) * dayMs,
        written: await readWriters(deps.db, caller.env.id, now),
      },
    };
  },
});

export const usageSettings: readonly Endpoint[] = [usage];
