/**
 * How a run ends that is not dispatched, or not once more. When the answer of an earlier dispatch is missing, it may have been
 * done, so that it ends unknown whatever the reason. Used by the job and the sweep of runs, by cancelling, and by runOutcome.ts.
 */
import type { ErrorCode } from '../../catalogue/errors.ts';
import type { Run } from '../model.ts';
import type { RunResolution } from './settleRun.ts';

/** The column `code` of a run that is to be dispatched again though the answer of an earlier dispatch is missing. */
export const missingAnswerCode = 'app_timeout';

/** The code of an unknown end by an answer that came and was not valid. */
export const invalidAnswerCode: ErrorCode = 'app_error';

/** Returns whether the run has ended unknown because an answer did not come. */
export const isAnswerMissing = ({ status, code }: Run): boolean => status === 'unknown' && code !== invalidAnswerCode;

const timesText = (count: number): string => (count === 1 ? 'once' : `${String(count)} times`);

/** Returns what a run says of which an answer did not come. */
export const noAnswerMessage = ({ attempts }: Pick<Run, 'attempts'>): string =>
  attempts === 1
    ? 'It was handed to the app once and no answer came: it is not known whether it was done.'
    : `It was handed to the app ${timesText(attempts)} and an answer did not come: it is not known whether it was done.`;

/** Returns the resolution of a run that is not dispatched any more: `wanted`, or `unknown` for the same reason when an answer is missing. */
export const resolutionWithoutDispatch = (run: Run, wanted: RunResolution): RunResolution =>
  run.code === missingAnswerCode
    ? {
        status: 'unknown',
        error: [noAnswerMessage(run), wanted.error].filter(Boolean).join(' '),
        code: wanted.code ?? missingAnswerCode,
      }
    : wanted;

/** Returns the resolution of a run whose action is not queued, when the app is offline. */
export const offlineResolution = (run: Run): RunResolution => {
  const tried = `The app could not do it yet (${run.message ?? 'it did not say why'})`;
  return resolutionWithoutDispatch(run, {
    status: 'failed',
    error:
      run.code === missingAnswerCode
        ? 'Then the app went offline, and the action is not queued.'
        : run.failures === 0
          ? 'The app went offline before it was begun.'
          : `${tried}: it was handed over ${timesText(run.failures)}, then the app went offline.`,
    code: 'app_offline',
  });
};

/** Returns the resolution of a run whose bulk was cancelled before it was dispatched. */
export const cancelledBulkResolution = (run: Run): RunResolution =>
  resolutionWithoutDispatch(run, { status: 'cancelled', error: 'The bulk was cancelled before this was begun.' });

/** Returns the resolution of a queued run whose time is up. */
export const expiredResolution = (run: Run): RunResolution =>
  resolutionWithoutDispatch(run, { status: 'expired', error: 'The app did not come back in time.' });
