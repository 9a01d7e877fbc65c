// Northwind Cloud's services, their kinds of errors and the places where these happen; used by drafts/errors.

export interface Service {
  readonly name: string;
  readonly side: 'web' | 'node' | 'jvm' | 'ios' | 'android';
  readonly tag: string;
  readonly weight: number;
  readonly files: readonly string[];
  readonly routes: readonly string[];
}

export const services: readonly Service[] = [
  {
    name: 'checkout-web',
    side: 'web',
    tag: 'checkout',
    weight: 16,
    files: ['PlanPicker.tsx', 'CartSummary.tsx', 'CardForm.tsx', 'useCoupon.ts', 'taxPreview.ts'],
    routes: ['/checkout', '/checkout/confirm', '/plans', '/cart'],
  },
  {
    name: 'dashboard-web',
    side: 'web',
    tag: 'frontend',
    weight: 16,
    files: ['ChartGrid.tsx', 'QueryEditor.tsx', 'useLiveQuery.ts', 'ShareDialog.tsx', 'permissions.ts'],
    routes: ['/d/:dashboard', '/settings/members', '/projects/:project', '/explore'],
  },
  {
    name: 'billing-api',
    side: 'node',
    tag: 'payments',
    weight: 14,
    files: ['invoices/finalize.ts', 'proration.ts', 'dunning.ts', 'tax/lookup.ts', 'subscriptions/change.ts'],
    routes: ['POST /v2/invoices', 'POST /v2/subscriptions', 'GET /v2/usage', 'POST /hooks/payments'],
  },
  {
    name: 'auth-api',
    side: 'node',
    tag: 'auth',
    weight: 9,
    files: ['saml/assert.ts', 'session.ts', 'totp.ts', 'invite.ts', 'scim/users.ts'],
    routes: ['POST /saml/acs', 'POST /sessions', 'POST /invites', 'GET /scim/v2/Users'],
  },
  {
    name: 'webhook-relay',
    side: 'node',
    tag: 'webhooks',
    weight: 9,
    files: ['deliver.ts', 'sign.ts', 'retry.ts', 'endpoints.ts'],
    routes: ['job deliver', 'job retry', 'POST /endpoints'],
  },
  {
    name: 'export-worker',
    side: 'node',
    tag: 'exports',
    weight: 9,
    files: ['csv.ts', 'pdf/render.ts', 'upload.ts', 'rows.ts', 'schedule.ts'],
    routes: ['job export.csv', 'job export.pdf', 'job report.scheduled'],
  },
  {
    name: 'search-indexer',
    side: 'jvm',
    tag: 'search',
    weight: 7,
    files: ['IndexWriter.java', 'BulkProcessor.java', 'DocumentMapper.java', 'ShardRouter.java'],
    routes: ['job reindex', 'job index.document'],
  },
  {
    name: 'usage-ingest',
    side: 'jvm',
    tag: 'backend',
    weight: 7,
    files: ['EventConsumer.java', 'RollupService.java', 'UsageRepository.java', 'SchemaRegistry.java'],
    routes: ['topic usage.events', 'topic usage.rollup'],
  },
  {
    name: 'mailer',
    side: 'node',
    tag: 'mail',
    weight: 5,
    files: ['render.ts', 'smtp.ts', 'suppressions.ts'],
    routes: ['job mail.send', 'job mail.digest'],
  },
  {
    name: 'ios-app',
    side: 'ios',
    tag: 'mobile',
    weight: 5,
    files: ['DashboardViewModel.swift', 'SyncEngine.swift', 'LoginFlow.swift'],
    routes: ['DashboardView', 'LoginView', 'background sync'],
  },
  {
    name: 'android-app',
    side: 'android',
    tag: 'mobile',
    weight: 5,
    files: ['DashboardFragment.kt', 'SyncWorker.kt', 'LoginActivity.kt'],
    routes: ['DashboardFragment', 'LoginActivity', 'SyncWorker'],
  },
];

interface ErrorKind {
  readonly type: string;
  readonly sides: readonly Service['side'][];
  readonly weight: number;
  /** Triage ignores these, as the manifest's rule says. */
  readonly noise?: true;
  readonly messages: readonly string[];
}

export const errorKinds: readonly ErrorKind[] = [
  {
    type: 'TypeError',
    sides: ['web', 'node'],
    weight: 22,
    messages: [
      "Cannot read properties of undefined (reading '{property}')",
      "Cannot read properties of null (reading '{property}')",
      '{fn} is not a function',
      "Cannot destructure property '{property}' of 'undefined'",
      'Failed to fetch',
      'Invalid URL',
      "Cannot set properties of undefined (setting '{property}')",
    ],
  },
  {
    type: 'RangeError',
    sides: ['web', 'node'],
    weight: 5,
    messages: [
      'Invalid time value',
      'Maximum call stack size exceeded',
      'Invalid array length',
      'Incorrect locale information provided',
      'Invalid currency code : {currencyCode}',
    ],
  },
  {
    type: 'SyntaxError',
    sides: ['web', 'node'],
    weight: 5,
    messages: ['Unexpected token {token} in JSON at position 0', 'Unexpected end of JSON input'],
  },
  {
    type: 'ReferenceError',
    sides: ['web'],
    weight: 3,
    messages: ['{property} is not defined', "Cannot access '{property}' before initialization"],
  },
  {
    type: 'HydrationError',
    sides: ['web'],
    weight: 3,
    messages: [
      'Text content does not match server-rendered HTML in <{component}>',
      'Expected server HTML to contain a matching <div> in <{component}>',
    ],
  },
  {
    type: 'TimeoutError',
    sides: ['node', 'jvm'],
    weight: 10,
    messages: [
      'Request to {host} timed out after {ms} ms',
      'Job in queue {queue} exceeded {ms} ms',
      'Acquiring a connection from the pool took longer than {ms} ms',
    ],
  },
  {
    type: 'ConnectionError',
    sides: ['node', 'jvm'],
    weight: 9,
    messages: [
      'connect ECONNREFUSED {host}:{port}',
      'read ECONNRESET {host}:{port}',
      'getaddrinfo ENOTFOUND {host}',
      'socket hang up while calling {host}',
    ],
  },
  {
    type: 'DatabaseError',
    sides: ['node', 'jvm'],
    weight: 10,
    messages: [
      'duplicate key value violates unique constraint "{table}_{column}_key"',
      'deadlock detected on {table}',
      'canceling statement due to statement timeout: select from {table}',
      'null value in column "{column}" of relation "{table}" violates not-null constraint',
      'column {table}.{column} does not exist',
      'could not serialize access to {table} due to concurrent update',
    ],
  },
  {
    type: 'ValidationError',
    sides: ['node'],
    weight: 6,
    messages: [
      'body/{field} must be string',
      "body must have required property '{field}'",
      'query/{field} must NOT have more than 100 characters',
      '{event} payload does not match schema v2',
    ],
  },
  {
    type: 'PaymentError',
    sides: ['node'],
    weight: 5,
    messages: [
      'card_declined while finalizing invoice',
      'authentication_required for off-session charge',
      'Tax rate for {currencyCode} not found',
      'Idempotency key reused with different amount',
    ],
  },
  {
    type: 'SignatureError',
    sides: ['node'],
    weight: 3,
    messages: [
      'Webhook signature mismatch for {event}',
      'SAML response not signed by {idp}',
      'JWT expired {few} minutes ago',
    ],
  },
  {
    type: 'OutOfMemoryError',
    sides: ['jvm'],
    weight: 4,
    messages: [
      'Java heap space while rolling up {table}',
      'GC overhead limit exceeded in {region2}',
      'Direct buffer memory ({size})',
    ],
  },
  {
    type: 'NullPointerException',
    sides: ['jvm', 'android'],
    weight: 7,
    messages: [
      'Cannot invoke "{property}()" because the return value is null',
      'Attempt to read from null array in {table}',
      'parameter {field} must not be null',
    ],
  },
  {
    type: 'IllegalStateException',
    sides: ['jvm', 'android'],
    weight: 5,
    messages: [
      'Consumer for {queue} is closed',
      'Shard {few} of {endpoint} is not assigned',
      'Cursor window for {endpoint} is closed',
      'Schema for {event} not registered',
    ],
  },
  {
    type: 'EXC_BAD_ACCESS',
    sides: ['ios'],
    weight: 3,
    messages: ['KERN_INVALID_ADDRESS while decoding {endpoint}', 'Unexpectedly found nil while unwrapping {property}'],
  },
  {
    type: 'DecodingError',
    sides: ['ios'],
    weight: 4,
    messages: ['keyNotFound "{property}" in {endpoint}', 'typeMismatch: expected Int for "{property}" in {endpoint}'],
  },
  {
    type: 'URLError',
    sides: ['ios'],
    weight: 4,
    messages: [
      'The request for /v2/{endpoint} timed out',
      'The network connection was lost while loading {endpoint}',
      'Not connected to the internet during background sync',
    ],
  },
  {
    type: 'HeapLimitError',
    sides: ['node'],
    weight: 3,
    messages: ['Reached heap limit of {size} in job {queue}', 'Export of {n} rows exceeded {size}'],
  },
  {
    type: 'Error',
    sides: ['web'],
    weight: 3,
    noise: true,
    messages: [
      'ResizeObserver loop completed with undelivered notifications',
      'ResizeObserver loop limit exceeded',
      'Script error.',
    ],
  },
  {
    type: 'AbortError',
    sides: ['web'],
    weight: 2,
    noise: true,
    messages: ['The user aborted a request to /v2/{endpoint}', 'The operation was aborted'],
  },
  {
    type: 'ChunkLoadError',
    sides: ['web'],
    weight: 2,
    noise: true,
    messages: ['Loading chunk {chunk} failed', 'Loading CSS chunk {chunk} failed'],
  },
];

export const functions = [
  'render',
  'handle',
  'apply',
  'load',
  'update',
  'process',
  'next',
  'run',
  'resolve',
  'commit',
  'flush',
  'parse',
  'dispatch',
  'execute',
] as const;
export const errorTags = ['p1', 'p2', 'p3', 'needs-repro', 'flaky', 'customer-reported', 'third-party'] as const;
