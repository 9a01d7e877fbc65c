/** Every number that the contract names as a limit, in one place; schemas and docs read them from here. */

export const limits = {
  bodyBytes: 1024 * 1024,
  urlBytes: 16 * 1024,
  headerBytes: 16 * 1024,
  jsonDepth: 32,
  pageDefault: 50,
  pageMax: 200,
  /** Tools of one page of the Model Context Protocol. */
  toolsPage: 200,
  titleMax: 500,
  tagMax: 100,
  tagsPerItem: 50,
  dataBytes: 32 * 1024,
  dataKeys: 1000,
  textBytes: 64 * 1024,
  textLines: 10_000,
  subjectMax: 500,
  searchMax: 200,
  /** Places that a refusal names: more don't help anybody. */
  detailsMax: 20,
  searchWords: 10,
  jsonParameterBytes: 8 * 1024,
  filterValues: 50,
  /** Of one field in `filters` of records: as many as a condition's list has; no more fit into its 8 KiB but the shortest. */
  recordFilterValues: 1_000,
  linksPerItem: 20,
  recordIdMax: 200,
  /** Matches of one search of records. */
  searchRecords: 50,
  /** Records, and ids to delete, of one call that stores records. */
  recordsPerCall: 1_000,
  bulkIds: 10_000,
  bulkChunk: 500,
  undoMs: 7 * 86_400_000,
  timelinePage: 100,
  /** At most one `occurred` entry an item in this time. */
  occurredEntryMs: 600_000,
  idempotencyKeyMax: 255,
  idempotencyMs: 24 * 3_600_000,
  ticketMs: 30_000,
  sessionMs: 12 * 3_600_000,
  /** How long a sign-in counts as fresh. */
  freshMs: 15 * 60_000,
  streamKeepMs: 24 * 3_600_000,
  streamKeepMessages: 100_000,
  changesWaitMs: 30_000,
  liveFrameBytes: 4096,
  liveBacklogBytes: 1024 * 1024,
  liveStallMs: 15_000,
  livePingMs: 25_000,
  liveErrors: 10,
  countExact: 10_000,
  /** How long an action may take: its own, a background one, and at most. */
  actionTimeoutMs: 60_000,
  backgroundTimeoutMs: 3_600_000,
  actionTimeoutMaxMs: 86_400_000,
  /** How long a call waits for the action's result before it answers that it runs. */
  actionWaitMs: 10_000,
  /** How long a queued run waits for the app: unless declared, and at most. */
  offlineExpiryMs: 3_600_000,
  offlineExpiryMaxMs: 7 * 86_400_000,
  /** How long a run whose answer is missing waits for the instance that was given it. */
  lostAnswerMs: 60_000,
  /** Tries of what the app calls retryable: this many more, first after 1 s, then doubling. */
  retryableTries: 5,
  availableRefs: 100,
  /** How long approvals are open: of actions, bulks and items, and of flags. */
  approvalMs: 72 * 3_600_000,
  flagApprovalMs: 14 * 86_400_000,
  deliveryMs: 24 * 3_600_000,
  /** Reports of one item within this time become one change. */
  reportWindowMs: 250,
  flagTargets: 10_000,
  /** All targets of a flag as JSON: it has to fit into one frame to the app. */
  flagTargetsBytes: 1024 * 1024,
  flagValueBytes: 32 * 1024,
  flagRules: 50,
  rampSteps: 10_000,
  rampEveryMs: 1_000,
  rampOverMs: 10 * 366 * 86_400_000,
  /** How far back a ramp may start. */
  rampPastMs: 24 * 3_600_000,
  guardAbove: 100_000,
  guardWithinMs: 24 * 3_600_000,
  /** The last millisecond that a JavaScript Date can hold. */
  timeMax: 8_640_000_000_000_000,
} as const;
