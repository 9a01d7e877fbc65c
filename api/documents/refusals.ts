/** The answers by which requests are refused, once for all operations. Used by ../openapi.ts. */
import { errors, type ErrorCode } from '../../shared/catalogue/errors.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Json } from './examples.ts';

/** What any request may be refused with, and by what the service may fail. */
const always: readonly ErrorCode[] = [
  'invalid',
  'unauthorized',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'too_broad',
  'rate_limited',
  'headers_too_large',
  'internal',
  'unavailable',
];
const ofChanges: readonly ErrorCode[] = ['conflict', 'too_large', 'unsupported_media_type', 'invalid_transition'];
/** Changes that read a record first, for which the app may be called. */
const ofRecords: ReadonlySet<string> = new Set(['/actions', '/runs/:id/retry', '/approvals/:id/approve']);

interface Refusal {
  readonly title: string;
  readonly codes: readonly ErrorCode[];
}

const refused = 'Refused, or failed; `code` says why.';
const notDone = 'Refused, or failed; nothing was done.';
const byApp: readonly ErrorCode[] = ['app_error', 'app_timeout'];
const changes: readonly ErrorCode[] = [...always, ...ofChanges];

/** The answers by which requests are refused, by their names. */
const refusals: Readonly<
  Record<'Refused' | 'RefusedByApp' | 'NotUpgraded' | 'NotDone' | 'NotDoneByApp' | 'NotMatched', Refusal>
> = {
  Refused: { title: refused, codes: always },
  RefusedByApp: { title: refused, codes: [...always, ...byApp] },
  NotUpgraded: { title: refused, codes: [...always, 'upgrade_required'] },
  NotDone: { title: notDone, codes: changes },
  NotDoneByApp: { title: notDone, codes: [...changes, ...byApp] },
  NotMatched: { title: notDone, codes: [...changes, 'version_conflict'] },
};

/** Returns the name of the answer by which the requests of an endpoint are refused. */
const refusalOf = ({ write, path, conditional }: Endpoint): keyof typeof refusals => {
  if (conditional) return 'NotMatched';
  if (path === '/live' || path === '/app') return 'NotUpgraded';
  if (write) return ofRecords.has(path) ? 'NotDoneByApp' : 'NotDone';
  return path.startsWith('/resources/') ? 'RefusedByApp' : 'Refused';
};

/** Returns the answers by which the requests of an endpoint are refused. */
export const refusalsOf = (endpoint: Endpoint): Json => ({
  default: { $ref: `#/components/responses/${refusalOf(endpoint)}` },
});

const statusesOf = (codes: readonly ErrorCode[]): number[] =>
  [...new Set(codes.map((code) => errors[code].status))].sort((a, b) => a - b);

/** Returns the answers that refusals refer to; `x-statuses` are those that one without a status of its own stands for. */
export const refusalComponents = (endpoints: readonly Endpoint[]): Json => {
  const used = new Set(['Refused', 'NotDone', ...endpoints.map(refusalOf)]);
  return Object.fromEntries(
    Object.entries(refusals)
      .filter(([name]) => used.has(name))
      .map(([name, { title, codes }]) => [
        name,
        {
          description: title,
          'x-statuses': statusesOf(codes),
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      ]),
  );
};
