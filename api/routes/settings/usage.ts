/** Settings: how large the environment is, and who has written how much today. */
import { dayMs, readWriters } from '../../../shared/accounts/writtenBytes.ts';
import { nullable, responseObject, strictObject, Type } from '../../../shared/platform/json/schema.ts';
import { readEndpoint, type Endpoint } from '../../endpoint.ts';
import { requireManager, settingsTag } from './manage.ts';

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
