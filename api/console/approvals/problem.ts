/** Why a decision failed, in a sentence. Used by ApprovalsPage. */
import { agoInWords } from '../ui/time.ts';
import { ApiError } from '../wire/apiError.ts';
import type { Approval } from '../wire/types.ts';
import { verdictTexts } from './verdictTexts.tsx';

/** The sentences of an answer's details which its own sentence does not have. */
const detailsOf = ({ body, message }: ApiError): readonly string[] => {
  const details = Array.isArray(body['details']) ? (body['details'] as readonly unknown[]) : [];
  return details.flatMap((detail) => {
    const said = typeof detail === 'object' && detail !== null && 'message' in detail ? String(detail.message) : '';
    return said === '' || message.includes(said) ? [] : [said];
  });
};

/** Returns what stands against a decision: who was faster, or what no longer fits. */
export const problemOf = (error: unknown): string => {
  if (!(error instanceof ApiError)) return String(error);
  if (error.code !== 'already_decided') return [error.message, ...detailsOf(error)].join(' ');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API's own answer to a decision that comes too late
  const { status, decidedBy, decidedAt } = (error.body['approval'] ?? {}) as Partial<Approval>;
  const ends: Readonly<Record<string, string>> = verdictTexts.endsInSentence;
  const end = ends[status ?? ''];
  if (end === undefined) return error.message;
  const when = decidedAt == null ? '' : agoInWords(decidedAt, Date.now());
  return decidedBy == null ? verdictTexts.tooLate(end, when) : verdictTexts.wasFaster(decidedBy.name, end, when);
};
