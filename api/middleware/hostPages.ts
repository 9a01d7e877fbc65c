/** The pages of the host outside `/api`: health, readiness, metrics, and the documents for writing clients. A step of api/app.ts. */
import type { Middleware } from 'koa';
import { fault } from '../../shared/catalogue/errors.ts';
import type { Deps } from '../../shared/deps.ts';
import { manifestSchema } from '../../shared/environments/manifest.ts';
import { queryRow, statement } from '../../shared/platform/db/sql.ts';
import { redisKeys } from '../../shared/platform/redis/keys.ts';
import { docsPage } from '../docsPage.ts';
import type { Endpoint } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import type { HttpMetrics } from '../http/metrics.ts';
import { buildOpenApiDocument } from '../openapi.ts';
import type { RequestState } from './state.ts';

/** A job that is due for longer, in milliseconds, shows that no worker enqueues jobs. */
const jobOverdueMs = 60_000;

const readinessSql = statement(
  'host.readiness',
  `
  select (select count(*)::int from knex_migrations) as migrations,
    (select min(due_at) from staged_jobs where enqueued_at is null and due_at is not null) as oldest_job,
    (select min(at) from outbox) as oldest_event`,
);

interface Readiness {
  readonly migrations: number;
  readonly oldest_job: number | null;
  readonly oldest_event: number | null;
}

const checkReadiness = async ({ db, redis, clock }: Deps): Promise<ApiResponse> => {
  const found = await queryRow<Readiness>(db, readinessSql).catch(() => undefined);
  const redisWrites = await redis.command.set(redis.key(redisKeys.ready), '1', 'PX', 10_000).then(
    () => true,
    () => false,
  );
  const now = clock.now();
  const lateMs = (at: number | null): number => (at === null ? 0 : Math.max(0, now - at));
  const checks = {
    postgres: found !== undefined,
    migrations: found?.migrations ?? 0,
    redis: redisWrites,
    oldestDueJobMs: lateMs(found?.oldest_job ?? null),
    oldestUnpublishedMs: lateMs(found?.oldest_event ?? null),
  };
  const isReady = checks.postgres && checks.redis && checks.oldestDueJobMs < jobOverdueMs;
  return {
    status: isReady ? 200 : 503,
    body: { ready: isReady, ...checks },
    ...(isReady ? {} : { headers: { 'retry-after': '1' } }),
  };
};

/** Serves the paths of the host; passes on all others. Throws `405 method_not_allowed` for changes of them. */
export const hostPages = (
  deps: Deps,
  metrics: HttpMetrics,
  endpoints: readonly Endpoint[],
): Middleware<RequestState> => {
  const document = buildOpenApiDocument(endpoints);
  const text = JSON.stringify(document);
  const page = docsPage(document);
  const manifest = JSON.stringify({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Manifest',
    ...manifestSchema,
  });
  const paths = new Map<string, () => Promise<ApiResponse> | ApiResponse>([
    ['/health', () => ({ status: 200, body: { ok: true } })],
    ['/ready', () => checkReadiness(deps)],
    [
      '/metrics',
      async () => ({ status: 200, body: await metrics.text(), headers: { 'content-type': metrics.contentType } }),
    ],
    ['/openapi.json', () => ({ status: 200, body: text })],
    ['/docs', () => ({ status: 200, body: page, headers: { 'content-type': 'text/html; charset=utf-8' } })],
    ['/manifest.schema.json', () => ({ status: 200, body: manifest })],
  ]);
  const answer = async (state: RequestState, serve: () => Promise<ApiResponse> | ApiResponse): Promise<void> => {
    state.response = await serve();
    state.route = state.path;
  };
  return ({ method, state }, next) => {
    const serve = paths.get(state.path);
    if (serve === undefined) return next();
    if (method !== 'GET' && method !== 'HEAD')
      throw fault('method_not_allowed', undefined, { headers: { allow: 'GET, HEAD' } });
    return answer(state, serve);
  };
};
