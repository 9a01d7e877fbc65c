/** Numbers in the documents are those of the code: each sentence below is printed from constants and has to stand there. */
import { expect } from 'chai';
import { blockLimits } from '../../shared/app/blocks/schema.ts';
import { linkLimits } from '../../shared/app/link/protocol.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { rampBucketMs } from '../../shared/flags/rampBuckets.ts';
import { jobLeaseMs } from '../../shared/platform/leases/jobLease.ts';
import { textOf } from './source.ts';

const count = (n: number): string => n.toLocaleString('en-US');
const mib = (bytes: number): string => `${String(bytes / 1024 / 1024)} MiB`;
const kib = (bytes: number): string => `${String(bytes / 1024)} KiB`;
const seconds = (ms: number): string => `${String(ms / 1_000)} s`;
const minutes = (ms: number): string => `${String(ms / 60_000)} minutes`;
const hours = (ms: number): string => `${String(ms / 3_600_000)} hours`;
const days = (ms: number): string => `${String(ms / 86_400_000)} days`;

const sentences: Readonly<Record<string, readonly string[]>> = {
  'docs/agents.md': [
    `for ${hours(limits.idempotencyMs)}`,
    `bodies up to ${mib(limits.bodyBytes)}`,
    `\`limit\` is 1 to ${count(limits.pageMax)}`,
    `the first ${count(limits.detailsMax)} of them`,
    `for ${hours(limits.sessionMs)} and all of the person's environments`,
    `(not older than ${minutes(limits.freshMs)})`,
    `takes up to ${count(limits.bulkIds)} ids`,
    `within ${days(limits.undoMs)}; what has changed since`,
    `longer than ${seconds(limits.actionWaitMs)}`,
    `Requests expire after ${hours(limits.approvalMs)}, those for flags after ${days(limits.flagApprovalMs)}`,
  ],
  'docs/customers-app.md': [
    `local references only, at most ${kib(64 * 1024)}`,
    `\`timeout\` is ${seconds(limits.actionTimeoutMs)}, for background ${String(limits.backgroundTimeoutMs / 3_600_000)} h`,
    `(at most ${String(limits.actionTimeoutMaxMs / 3_600_000)} h)`,
    `within ${String(limits.reportWindowMs)} ms become one change`,
    `repeat for ${hours(limits.deliveryMs)}`,
    `waits ${seconds(limits.lostAnswerMs)} for that instance`,
    `\`attempts\` times (1 to ${String(limits.runAttemptsMax)}, ${String(limits.runAttempts)} unless declared)`,
    `at most ${days(limits.offlineExpiryMaxMs)}`,
    `up to ${count(limits.recordsPerCall)} each`,
    `| A frame, either way | ${mib(linkLimits.frameBytes)};`,
    `| Blocks of one answer | ${count(blockLimits.count)} and ${kib(blockLimits.bytes)} |`,
  ],
  'docs/flags.md': [
    `At most ${count(limits.flagTargets)} in all, and ${mib(limits.flagTargetsBytes)} as JSON`,
    `Values are at most ${kib(limits.flagValueBytes)}`,
  ],
  'docs/manifest.md': [
    `at most ${count(blockLimits.count)} blocks and ${kib(blockLimits.bytes)}`,
    `at most ${count(blockLimits.entries)} in one answer`,
  ],
  'docs/operators.md': [
    `a token for ${hours(limits.sessionMs)}`,
    `a sign-in not older than ${minutes(limits.freshMs)}`,
    `| \`APPROVAL_MS\` | ${hours(limits.approvalMs)} |`,
    `| \`BULK_RESULTS_DAYS\` | \`${String(limits.bulkResultsDays)}\` | For how many days workers keep results of bulks (${String(limits.retentionDaysMin)} to ${String(limits.retentionDaysMax)};`,
    `| \`FLAG_APPROVAL_MS\` | ${days(limits.flagApprovalMs)} |`,
  ],
  'docs/architecture.md': [
    `kept ${hours(limits.streamKeepMs)} and the last ${count(limits.streamKeepMessages)}`,
    `a lease of ${seconds(jobLeaseMs)}`,
    `due within ${String(rampBucketMs)} ms`,
  ],
};

describe('law: numbers', () => {
  for (const [path, expected] of Object.entries(sentences)) {
    it(`${path} has the numbers of the code`, () => {
      const text = textOf(path);
      const missing = expected.filter((sentence) => !text.includes(sentence));
      expect(missing, 'write the sentence so in the document, or change it here with the constant').to.deep.equal([]);
    });
  }
});
