/** The answers by which requests are refused, once for all operations. Used by ../openapi.ts. */
import { errors, type ErrorCode } from '../../shared/catalogue/errors.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Json } from './json.ts';

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
/** The codes that no read has, of the statuses that reads have too. */
const onlyOfChanges: ReadonlySet<string> = new Set([
  'bad_json',
  'invalid_transition',
  'action_failed',
  'too_many',
  'idempotency_mismatch',
]);

/** Changes that read a record first, for which the app may be called. */
const ofRecords: ReadonlySet<string> = new Set(['/actions', '/runs/:id/retry', '/approvals/:id/approve']);

interface Refusal {
  readonly title: string;
  readonly codes: readonly ErrorCode[];
  /** The first of them is the example. */
  readonly own: readonly ErrorCode[];
}

const refused = 'Refused, or failed; `code` says why.';
const notDone = 'Refused, or failed; nothing was done. The codes of reads, and';
const byApp: readonly ErrorCode[] = ['app_error', 'app_timeout'];
const changes: readonly ErrorCode[] = [...always, ...ofChanges];

/** The answers by which requests are refused, by their names. */
const refusals = {
  Refused: { title: refused, codes: always, own: ['not_found'] },
  RefusedByApp: { title: 'As Refused, and', codes: [...always, ...byApp], own: byApp },
  NotUpgraded: {
    title: 'As Refused, and',
    codes: [...always, 'upgrade_required'],
    own: ['upgrade_required'],
  },
  NotDone: { title: notDone, codes: changes, own: ['conflict'] },
  NotDoneByApp: { title: 'As NotDone, and', codes: [...changes, ...byApp], own: byApp },
  NotMatched: { title: 'As NotDone, and', codes: [...changes, 'version_conflict'], own: ['version_conflict'] },
} as const satisfies Record<string, Refusal>;

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

/** Returns the codes of the statuses by these: “400 bad_json, invalid; 401 unauthorized”. */
const describeCodes = (codes: readonly string[]): string => {
  const byStatus = new Map<number, string[]>();
  for (const [code, { status }] of Object.entries(errors))
    if (codes.includes(code)) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  return [...byStatus].map(([status, named]) => `${String(status)} ${named.join(', ')}`).join('; ');
};

const codesWith = (statuses: readonly number[]): string[] =>
  Object.entries(errors).flatMap(([code, { status }]) => (statuses.includes(status) ? [code] : []));
const codesOfReads = codesWith(statusesOf(always)).filter((code) => !onlyOfChanges.has(code));
const codesOfChanges = codesWith(statusesOf(changes)).filter((code) => !codesOfReads.includes(code));

/** The codes that each answer's description names. */
const named = (name: string, { own }: Refusal): readonly string[] =>
  name === 'Refused' ? codesOfReads : name === 'NotDone' ? codesOfChanges : own;

/** Returns the answers that refusals refer to; `x-statuses` are those that one without a status of its own stands for. */
export const refusalComponents = (endpoints: readonly Endpoint[]): Json => {
  const used = new Set(['Refused', 'NotDone', ...endpoints.map(refusalOf)]);
  return Object.fromEntries(
    Object.entries(refusals)
      .filter(([name]) => used.has(name))
      .map(([name, refusal]) => {
        const [code] = refusal.own;
        return [
          name,
          {
            description: `${refusal.title} ${describeCodes(named(name, refusal))}.`,
            'x-statuses': statusesOf(refusal.codes),
            content: {
              'application/json': {
                schema: { $ref: '#/components/schemas/Error' },
                example: { error: errors[code].message, code },
              },
            },
          },
        ];
      }),
  );
};
