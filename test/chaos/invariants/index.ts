/** Every invariant that is shown under chaos, by number. */
import type { Invariant } from '../support/run.ts';
import { acceptedKept } from './acceptedKept.ts';
import { away } from './away.ts';
import { bulkOnce } from './bulkOnce.ts';
import { contentKept } from './contentKept.ts';
import { erasedGone } from './erasedGone.ts';
import { failover } from './failover.ts';
import { frozenWorker } from './frozenWorker.ts';
import { idempotency } from './idempotency.ts';
import { killMatrix } from './killMatrix.ts';
import { offlineActions } from './offlineActions.ts';
import { paging } from './paging.ts';
import { rails } from './rails.ts';
import { ramps } from './ramps.ts';
import { redisAttacker } from './redisAttacker.ts';
import { restore } from './restore.ts';
import { resume } from './resume.ts';
import { revocation } from './revocation.ts';
import { rolling } from './rolling.ts';
import { runsUnderFaults } from './runsUnderFaults.ts';
import { slowReaders } from './slowReaders.ts';
import { streamComplete } from './streamComplete.ts';
import { unheard } from './unheard.ts';
import { worstReads } from './worstReads.ts';

export const invariants: readonly Invariant[] = [
  bulkOnce,
  acceptedKept,
  resume,
  away,
  frozenWorker,
  streamComplete,
  slowReaders,
  revocation,
  paging,
  idempotency,
  rolling,
  offlineActions,
  killMatrix,
  runsUnderFaults,
  unheard,
  ramps,
  contentKept,
  redisAttacker,
  rails,
  worstReads,
  erasedGone,
  failover,
  restore,
];
