/** Settings: the removal of what identifies a person. */
import { listCursors } from '../../../shared/accounts/access/listCursors.ts';
import { fault } from '../../../shared/catalogue/errors.ts';
import { limits } from '../../../shared/catalogue/limits.ts';
import { countErasable } from '../../../shared/erasure/erasable.ts';
import { erasureView, insertErasure, listErasures, listUnreached, targetOf } from '../../../shared/erasure/model.ts';
import { erasureCountsSchema, erasureInput, erasureSchema, unreachedSchema } from '../../../shared/erasure/schema.ts';
import { cursorSchema, limitSchema, responseObject, strictObject, Type } from '../../../shared/platform/json/schema.ts';
import { compileCheck } from '../../../shared/platform/json/validate.ts';
import { channels } from '../../../shared/platform/redis/bus.ts';
import { readEndpoint, type Endpoint } from '../../endpoint.ts';
import { listResponse } from '../discovery.ts';
import { requireManager, runSettingsChange, settingsTag, settingsWriteEndpoint } from './manage.ts';

const checkErasureInput = compileCheck(erasureInput);

const list = readEndpoint({
  path: '/settings/erasures',
  name: 'settings.erasures',
  summary: 'Erasures of what identifies a person, newest first, with what they wait for',
  tag: settingsTag,
  query: strictObject({ cursor: Type.Optional(cursorSchema), limit: Type.Optional(limitSchema) }),
  responses: { 200: listResponse('erasures', erasureSchema) },
  example: {},
  authorize: requireManager,
  handle: async (call) => {
    const { deps, caller, query } = call;
    const cursors = listCursors(caller, 'erasures', []);
    const keys = cursors.open(query.cursor);
    const { erasures, next } = await listErasures(deps.db, caller.env.id, {
      after: keys === null ? null : String(keys[0]),
      limit: query.limit ?? limits.pageDefault,
    });
    return { status: 200, body: { erasures, cursor: cursors.next(next === null ? null : [next]) } };
  },
});

const create = settingsWriteEndpoint({
  path: '/settings/erasures',
  name: 'erasure.create',
  summary: 'Remove what identifies a person; a dry run counts it. Can’t be undone',
  fresh: 'always',
  body: erasureInput,
  responses: {
    200: responseObject({
      dryRun: Type.Literal(true, { description: 'Nothing was done.' }),
      found: erasureCountsSchema,
      archives: unreachedSchema,
    }),
    202: responseObject({ erasure: erasureSchema }),
  },
  example: { body: { record: { resource: 'customer', id: 'cus_1' }, confirmed: true } },
  audit: { verb: 'erasure.create', target: () => ({ type: 'erasure', id: null }) },
  check: checkErasureInput,
  handle: async (call) => {
    const { deps, caller, body } = call;
    const target = targetOf(caller.env.id, body);
    if (body.dryRun === true) {
      const found = await countErasable(deps.db, target);
      return { status: 200, body: { dryRun: true, found, archives: await listUnreached(deps.db, target.env) } };
    }
    if (body.confirmed !== true)
      throw fault(
        'confirmation_required',
        'This can’t be undone. Ask what it would erase with "dryRun": true; then it needs "confirmed": true.',
        { details: [{ path: 'confirmed', message: 'danger: high' }] },
      );
    const response = await runSettingsChange(call, async (tx, admin) => ({
      status: 202,
      body: { erasure: erasureView(await insertErasure(tx, admin, caller.env.name, target)) },
    }));
    deps.bus.publish(channels.workAvailable, 'jobs');
    return response;
  },
});

export const erasureSettings: readonly Endpoint[] = [list, create];
