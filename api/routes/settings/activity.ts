/** Settings: what one agent changed, asked for and was refused in this environment. */
import { listCursors } from '../../../shared/accounts/access/listCursors.ts';
import { requireSeesAgent, requireSeesAgents } from '../../../shared/accounts/settings/agentActivity.ts';
import { limits } from '../../../shared/catalogue/limits.ts';
import { nextCursorSchema, responseObject, strictObject, Type } from '../../../shared/platform/json/schema.ts';
import { readAudit } from '../../../shared/views/audit.ts';
import { readEndpoint, type Endpoint } from '../../endpoint.ts';
import { auditEntrySchema } from '../audit.ts';
import { pageQuerySchema } from '../discovery.ts';
import { settingsTag } from './manage.ts';

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
