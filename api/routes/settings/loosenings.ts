/** Settings: what the app of this environment declares less strict than before, and waits for a person. */
import { listCursors } from '../../../shared/access/listCursors.ts';
import { limits } from '../../../shared/catalogue/limits.ts';
import { cursorSchema, limitSchema, responseObject, strictObject, Type } from '../../../shared/platform/core/schema.ts';
import { compileCheck } from '../../../shared/platform/core/validate.ts';
import {
  decideLoosening,
  listLoosenings,
  looseningStatuses,
} from '../../../shared/settings/environments/loosenings.ts';
import { looseningSchema } from '../../../shared/settings/schema.ts';
import { readEndpoint, writeEndpoint, type Endpoint, type EndpointCall } from '../../endpoint.ts';
import { listResponse } from '../discovery.ts';
import { requireManager, runSettingsChange, settingsTag } from './manage.ts';

const exampleIds = { accept: 'loo_01jd0000000000000000000000', refuse: 'loo_01jd0000000000000000000001' };
const target = ({ params }: Pick<EndpointCall, 'params'>) => ({ type: 'loosening', id: params['id'] ?? null });

const list = readEndpoint({
  path: '/settings/loosenings',
  name: 'settings.loosenings',
  summary: 'What the app declares less strict than the rules in force, and its new names, newest first',
  tag: settingsTag,
  query: strictObject({
    status: Type.Optional(
      Type.Union(
        looseningStatuses.map((status) => Type.Literal(status)),
        { description: 'Only those; all when absent.' },
      ),
    ),
    cursor: Type.Optional(cursorSchema),
    limit: Type.Optional(limitSchema),
  }),
  responses: { 200: listResponse('loosenings', looseningSchema) },
  example: { query: { status: 'waiting' } },
  handle: async (call) => {
    requireManager(call, { fresh: false });
    const { deps, caller, query } = call;
    const { status } = query;
    const cursors = listCursors(caller, 'loosenings', [status]);
    const keys = cursors.open(query.cursor);
    const after = keys === null ? null : String(keys[0]);
    const { loosenings, next } = await listLoosenings(deps.db, caller.env.id, {
      status,
      after,
      limit: query.limit ?? limits.pageDefault,
    });
    return { status: 200, body: { loosenings, cursor: cursors.next(next === null ? null : [next]) } };
  },
});

const noBody = strictObject({});
const checkNoBody = compileCheck(noBody);

const decision = (verb: 'accept' | 'refuse', summary: string): Endpoint =>
  writeEndpoint({
    path: `/settings/loosenings/:id/${verb}`,
    name: `loosening.${verb}`,
    summary,
    tag: settingsTag,
    body: noBody,
    bodyOptional: true,
    responses: { 200: responseObject({ loosening: looseningSchema }) },
    example: { params: { id: exampleIds[verb] }, body: {} },
    audit: { verb: `loosening.${verb}`, target },
    check: checkNoBody,
    handle: async (call) => {
      requireManager(call, { fresh: true });
      const env = call.caller.env.id;
      return runSettingsChange(call, async (tx, admin) => ({
        status: 200,
        body: {
          loosening: await decideLoosening(
            tx,
            { ...admin, env },
            call.params['id'] ?? '',
            verb === 'accept' ? 'accepted' : 'refused',
          ),
        },
      }));
    },
  });

export const looseningSettings: readonly Endpoint[] = [
  list,
  decision('accept', 'Let what is declared take effect'),
  decision('refuse', 'Keep the stricter rule for as long as this is declared'),
];
