/**
 * The limits of the API in one place, for schemas, operations and docs. Names that end in `Ms` are milliseconds, in
 * `Bytes` bytes; lengths of texts count characters.
 */

export const limits = {
  bodyBytes: 1024 * 1024,
  urlBytes: 16 * 1024,
  headerBytes: 16 * 1024,
  jsonDepth: 32,
  pageDefault: 50,
  pageMax: 200,
  /** Items of a bulk that a request for its approval shows. */
  approvalItems: 10,
  /** Other requests on the same target that a request for approval names. */
  approvalOthers: 10,
  /** Questions of an agent that wait, the answers of one to choose from, their characters, and ms until it expires. */
  openQuestions: 100,
  questionOptions: 20,
  optionMax: 200,
  questionMs: 30 * 24 * 3_600_000,
  /** Comments on one approval. */
  commentsPerApproval: 100,
  /** Approvals that one call decides. */
  decisionsMax: 100,
  /** Reasons that a dry run of a bulk names. */
  dryRunProblems: 20,
  /** Tools on one page of `tools/list` of the Model Context Protocol. */
  toolsPage: 200,
  titleMax: 500,
  tagMax: 100,
  tagsPerItem: 50,
  /** Tags that `GET /tags` returns. */
  tagsShown: 50,
  /** Items that one principal claims at a time, and in one call. */
  claims: 100,
  claimCount: 20,
  claimLeaseMinMs: 10_000,
  claimLeaseMs: 600_000,
  claimLeaseMaxMs: 3_600_000,
  /** Items that one call reads by their ids. */
  itemsPerBatch: 100,
  /** Items that a summary counts exactly. */
  summaryItems: 50_000,
  /** Groups of a summary. */
  summaryGroups: 100,
  dataBytes: 32 * 1024,
  dataKeys: 1000,
  textBytes: 64 * 1024,
  textLines: 10_000,
  subjectMax: 500,
  /** The reason that may be given with a change. */
  reasonMax: 2_000,
  searchMax: 200,
  /** Entries of `details` in an error response: nobody reads more. */
  detailsMax: 20,
  searchWords: 10,
  /** Bytes of each text that `q` finds items by. */
  wordsTextBytes: 8 * 1024,
  /** Different fields that one list is filtered by. */
  fieldFilters: 5,
  fieldFilterMax: 1_000,
  /** Hits of a search over everything, and characters of their excerpts. */
  searchResults: 50,
  excerptMax: 200,
  jsonParameterBytes: 8 * 1024,
  filterValues: 50,
  /** Values of one field in `filters` of records: as many as a condition's list may have. */
  recordFilterValues: 1_000,
  linksPerItem: 20,
  recordIdMax: 200,
  /** Records that one search returns. */
  searchRecords: 50,
  /** Records to store plus ids to delete in one call. */
  recordsPerCall: 1_000,
  /** Bytes that a principal writes in a day, as requests and answers have them, and those that an item counts for that gets the outcome of a run. */
  writeBytesPerDay: 1024 ** 3,
  bulkItemBytes: 1024,
  /** Items of one bulk, and the bytes of the body that names them. */
  bulkIds: 100_000,
  /** Records that a bulk of an action may name. */
  bulkRefs: 10_000,
  bulkBodyBytes: 4 * 1024 * 1024,
  bulkChunk: 500,
  /**
   * Items of one statement of a bulk. A change of one of them waits for its commit: 35 ms on two cores. With 500 items the wait is
   * four times as long, and the bulk only a twentieth faster.
   */
  bulkStatement: 125,
  /** What one principal has accepted and not done: items of bulks, queued runs of no bulk, and in one environment requests that wait for a decision. */
  unfinishedItems: 1_000_000,
  queuedRuns: 10_000,
  openApprovals: 1_000,
  /** Chunks of one principal in one environment that are given to workers at once, so that others have their turn soon. */
  chunksInTurn: 8,
  /** Runs of one principal's bulks in one environment that are under way at once: more than an app handles, fewer than others notice. */
  runsInTurn: 200,
  undoMs: 7 * 86_400_000,
  /** Days for which results of bulks are kept: the default, and the bounds of what may be set; an undo needs them for `undoMs`. */
  bulkResultsDays: 90,
  retentionDaysMin: 8,
  retentionDaysMax: 36_500,
  /** ms for which bulks, approvals and runs that have ended stay beside the unfinished: `retentionDaysMin`, so that nothing goes before it has moved. */
  endedRowsMs: 8 * 86_400_000,
  timelinePage: 100,
  /** Where a number of occurrences is kept, an item gets at most one `occurred` entry in this time. */
  occurredEntryMs: 600_000,
  /** Occurrences that an inbox keeps of an item: the default of one without replies, and the most that may be declared. */
  occurrencesKept: 100,
  occurrencesKeptMax: 10_000,
  idempotencyKeyMax: 255,
  idempotencyMs: 24 * 3_600_000,
  ticketMs: 30_000,
  sessionMs: 12 * 3_600_000,
  /** How long a browser is known after a sign-in (accounts/signInThrottle.ts). */
  knownBrowserMs: 90 * 86_400_000,
  /** Preferences of a person as JSON. */
  preferencesBytes: 16 * 1024,
  /** Views that a person saves in an environment, and those that its people share: a list has all of both. */
  savedViews: 200,
  sharedViews: 500,
  savedViewName: 80,
  /** Filters of a saved view as JSON. */
  savedViewBytes: 4 * 1024,
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
  /** How long PostgreSQL works for one read; it stops a statement that takes longer. */
  readMs: 2_000,
  /** How long a run may take: the default, the default of a background action, and the most that may be declared. */
  actionTimeoutMs: 60_000,
  backgroundTimeoutMs: 3_600_000,
  actionTimeoutMaxMs: 86_400_000,
  /** How long `POST /actions` waits for the result before it responds that the run is under way. */
  actionWaitMs: 10_000,
  /** How long a queued run waits for the app: the default, and the most that may be declared. */
  offlineExpiryMs: 3_600_000,
  offlineExpiryMaxMs: 7 * 86_400_000,
  /** How long a lost run waits for the instance that it was dispatched to. */
  lostAnswerMs: 60_000,
  /** Time that a run which is ready waits for those that were due earlier. */
  overtakenMs: 200,
  /** Retries of a run after failures that the app calls retryable. */
  retryableTries: 5,
  /** Dispatches of a repeatable run whose answers do not come: the default, and the most that may be declared. */
  runAttempts: 5,
  runAttemptsMax: 20,
  availableRefs: 100,
  /** How long an approval stays pending: of actions, bulks and items; of flags. */
  approvalMs: 72 * 3_600_000,
  flagApprovalMs: 14 * 86_400_000,
  deliveryMs: 24 * 3_600_000,
  /** Reports of one item within this time are written as one change. */
  reportWindowMs: 250,
  flagTargets: 10_000,
  /** All targets of a flag as JSON: the flag has to fit into one frame of the app link. */
  flagTargetsBytes: 1024 * 1024,
  flagValueBytes: 32 * 1024,
  flagRules: 50,
  /** Conditions of all rules of a flag together, those inside others too. */
  flagConditions: 1_000,
  rampSteps: 10_000,
  rampEveryMs: 1_000,
  rampOverMs: 10 * 366 * 86_400_000,
  /** How far in the past a ramp's start may lie. */
  rampPastMs: 24 * 3_600_000,
  guardAbove: 100_000,
  guardWithinMs: 24 * 3_600_000,
  /** The last millisecond that a JavaScript Date can hold. */
  timeMax: 8_640_000_000_000_000,
} as const;
