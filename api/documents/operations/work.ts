/** The form of an operation's texts, and those on records, actions, approvals, pages, flags, the stream and its kin. Read by index.ts. */

/** What the documents say of an endpoint beside its row: the name that clients call it by, and what it does. */
export interface OperationText {
  /** Its tool has the same name (api/mcp/tools). */
  readonly id: string;
  /** In whole sentences: what is answered, what happens, what to look at next. */
  readonly description: string;
}

/** By the name of the endpoint's row. */
export type OperationTexts = Readonly<Record<string, OperationText>>;

export const workOperations: OperationTexts = {
  'action.list': {
    id: 'list_actions',
    description: 'The actions that your role may run.',
  },
  'action.available': {
    id: 'available_actions',
    description: 'Which actions apply to records now, and why others don’t.',
  },
  'action.run': {
    id: 'run_action',
    description: 'Has the app do something. 200: its result; 202: a run under way, queued, or pending for a person.',
  },
  'run.list': {
    id: 'list_runs',
    description: 'Runs of yours and of actions that you may run, newest first.',
  },
  'run.get': {
    id: 'get_run',
    description: 'How a run stands; unknown: nobody knows whether it was done.',
  },
  'run.cancel': {
    id: 'cancel_run',
    description: 'Takes back a run that is pending or queued.',
  },
  'run.retry': {
    id: 'retry_run',
    description: 'Tries a failed, expired or unknown run again; after unknown, look first.',
  },
  'approval.list': {
    id: 'list_approvals',
    description: 'Your requests, and those whose target you see.',
  },
  'approval.get': {
    id: 'get_approval',
    description: 'How a request stands, and who decided it.',
  },
  'approval.approve': {
    id: 'approve_request',
    description: 'Checks all again and does it in the requester’s name. For people.',
  },
  'approval.reject': {
    id: 'reject_request',
    description: 'Ends a request; nothing is done. For people.',
  },
  'approval.decide': {
    id: 'decide_requests',
    description: 'Decides up to 100, as single calls would; says what became of each. For people.',
  },
  'approval.comment': {
    id: 'comment_on_approval',
    description: 'Asks or says something about a request that waits.',
  },
  'question.ask': {
    id: 'ask_question',
    description: 'Asks people something; the approval has the answer once somebody gives it.',
  },
  'approval.answer': {
    id: 'answer_question',
    description: 'Answers a question that you see. For people.',
  },
  'approval.cancel': {
    id: 'cancel_approval',
    description: 'Ends a request of yours that is undecided.',
  },
  'page.list': {
    id: 'list_pages',
    description: 'The app’s pages, with their parameters.',
  },
  'page.get': {
    id: 'get_page',
    description: 'The blocks of a page as your role sees them.',
  },
  'flag.list': {
    id: 'list_flags',
    description: 'The feature flags, by key.',
  },
  'flag.get': {
    id: 'get_flag',
    description: 'A feature flag; its version is the etag.',
  },
  'flag.history': {
    id: 'get_flag_history',
    description: 'Who changed a feature flag, from which values to which.',
  },
  'flag.change': {
    id: 'change_flag',
    description: 'Changes a flag. Targets are merged, rules and ramps replaced.',
  },
  'ofrep.evaluateAll': {
    id: 'evaluate_flags',
    description: 'Every flag’s value for a targeting key (OFREP).',
  },
  'ofrep.evaluate': {
    id: 'evaluate_flag',
    description: 'A flag’s value for a targeting key (OFREP).',
  },
  'resource.list': {
    id: 'list_resources',
    description: 'The kinds of records, with their fields and relations.',
  },
  'record.search': {
    id: 'search_records',
    description: 'The records that fit words or the beginning of an id best.',
  },
  'record.list': {
    id: 'list_records',
    description: 'Records; all filters have to hold.',
  },
  'record.get': {
    id: 'get_record',
    description: 'A record with blocks, items, history and actions.',
  },
  'record.related': {
    id: 'get_related_records',
    description: 'Records that one is related to.',
  },
  'records.put': {
    id: 'put_records',
    description: 'Stores and deletes records, 1,000 at once. For app keys.',
  },
  'live.open': {
    id: 'open_stream',
    description: 'WebSocket of changes; see /asyncapi.json.',
  },
  'live.ticket': {
    id: 'create_stream_ticket',
    description: 'Opens one stream within 30 seconds, for browsers.',
  },
  'live.changes': {
    id: 'list_changes',
    description: 'The stream’s messages after a cursor, or from now on.',
  },
  mcp: {
    id: 'send_mcp_message',
    description: 'A message of the Model Context Protocol.',
  },
  'app.open': {
    id: 'open_app_link',
    description: 'The app’s WebSocket; see /asyncapi.json.',
  },
  'audit.list': {
    id: 'list_audit_entries',
    description: 'What was done or refused, by whom, and what it changed.',
  },
};
