/**
 * The work of an agent on a shift, through tools of the Model Context Protocol alone, with what it costs the model that reads
 * the answers. Used by test/mcp/shift.test.ts, which holds its budget, and by the suite `shift` of the benchmark.
 */
import { firstStamp } from '../../shared/records/terms.ts';

// The members of an answer are read as the tools’ descriptions say.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Answer = any;

export interface ShiftAgent {
  /** Of the environment. */
  readonly baseUrl: string;
  readonly token: string;
}

/** What the answers of one step, or of all, cost; the list of the tools is one of them. */
export interface Cost {
  calls: number;
  /** Bytes of the answers as they come over HTTP: whole messages of JSON-RPC. */
  wire: number;
  /** Bytes of the texts in them, which is what a model reads. */
  text: number;
}

/** What the shift has done, for those who look whether it is so. */
export interface Shift {
  readonly steps: Readonly<Record<string, Cost>>;
  readonly total: Cost;
  readonly triaged: readonly { readonly id: string; readonly state: string; readonly tag: string }[];
  readonly answered: readonly string[];
  readonly customer: { readonly id: string; readonly orders: number; readonly items: number };
  readonly closed: { readonly bulk: string; readonly undo: string; readonly matched: number };
  readonly refund: { readonly order: string; readonly approval: string; readonly status: string };
  readonly flag: { readonly name: string; readonly to: number };
  /** What the agent has changed, as the service tells it. */
  readonly report: readonly {
    readonly type: string;
    /** Absent: of a new entry. */
    readonly change?: string;
    /** One item, or some of several to which the same was done, and how many more there are. */
    readonly item?: string;
    readonly items?: readonly string[];
    readonly moreItems?: number;
    /** Absent: it has several, in `entries`. */
    readonly entry?: { readonly type: string };
    readonly entries?: readonly { readonly type: string }[];
  }[];
}

export interface ShiftOptions {
  /** How the tools answer: as text, or with `?answers=structured`. */
  readonly answers: 'text' | 'structured';
  /** Lets a person decide a request; resolves when that is done. */
  readonly approve: (approval: string) => Promise<void>;
}

const assignee = 'Priya Raman';
/** Items that a shift reads and decides, and how many of them it answers. */
const itemCount = 20;
const answerCount = 3;

const createCaller = ({ baseUrl, token }: ShiftAgent, { answers }: ShiftOptions) => {
  const url = `${baseUrl}/mcp${answers === 'text' ? '' : '?answers=structured'}`;
  const steps: Record<string, Cost> = {};
  const total: Cost = { calls: 0, wire: 0, text: 0 };
  let step = '';
  const rpc = async (method: string, params: object): Promise<Answer> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: total.calls + 1, method, params }),
    });
    const body = await response.text();
    if (!response.ok) throw new Error(`${method} answered ${String(response.status)}: ${body}`);
    const { result, error } = JSON.parse(body) as Answer;
    if (error !== undefined) throw new Error(`${method} answered ${JSON.stringify(error)}`);
    const text = Buffer.byteLength(result.content?.[0]?.text ?? JSON.stringify(result.structuredContent ?? result));
    const costs = (steps[step] ??= { calls: 0, wire: 0, text: 0 });
    for (const cost of [costs, total]) {
      cost.calls += 1;
      cost.wire += Buffer.byteLength(body);
      cost.text += text;
    }
    return result;
  };
  return {
    steps,
    total,
    begin: (name: string): void => {
      step = name;
    },
    list: () => rpc('tools/list', {}),
    tool: async (name: string, given: object = {}): Promise<Answer> => {
      const { isError, content, structuredContent } = await rpc('tools/call', { name, arguments: given });
      const answer: Answer = structuredContent ?? JSON.parse(content[0].text);
      if (isError === true) throw new Error(`${name} answered ${JSON.stringify(answer)}`);
      return answer;
    },
  };
};

type Caller = ReturnType<typeof createCaller>;

/** Returns when the shift began. */
const overview = async ({ begin, list, tool }: Caller): Promise<string> => {
  begin('overview');
  await list();
  const { now } = await tool('get_me');
  for (const name of ['get_counts', 'list_inboxes']) await tool(name);
  return now as string;
};

const triage = async ({ begin, tool }: Caller): Promise<Pick<Shift, 'triaged' | 'answered'>> => {
  begin('20 items read');
  const listed = await tool('list_items', {
    inbox: 'support',
    state: 'open',
    snoozed: false,
    sort: 'due',
    limit: itemCount,
    fields: 'occurrences',
  });
  const ids: string[] = listed.items.map(({ id }: Answer) => String(id));
  const { items } = await tool('get_items', { ids });
  // A conversation of several messages is read to its end before it is answered.
  for (const id of ids.slice(0, answerCount)) await tool('get_item', { id });
  begin('20 items decided, tagged, assigned');
  const triaged = [];
  for (const [at, { id, fields }] of items.entries()) {
    const state = at < answerCount ? 'open' : at % 4 === 0 ? 'closed' : at % 2 === 0 ? 'waiting' : 'open';
    const tag = `shift-${String(fields.topic)}`;
    await tool('update_item', {
      id,
      ...(state === 'open' ? {} : { state }),
      tags: { add: tag },
      assignee,
      reason: `Sorted by topic: ${String(fields.topic)}.`,
    });
    triaged.push({ id, state: at < answerCount ? 'waiting' : state, tag });
  }
  begin('3 items answered');
  const answered = ids.slice(0, answerCount);
  for (const id of answered)
    await tool('reply_to_item', {
      id,
      text: 'Thank you for writing. We are on it, and you will hear from us today.',
      then: { state: 'waiting' },
    });
  return { triaged, answered };
};

const readCustomer = async ({ begin, tool }: Caller): Promise<Shift['customer']> => {
  begin('all about a customer');
  const { results } = await tool('search', { q: 'osprey', types: 'records', limit: 5 });
  const { id } = results.find(({ record }: Answer) => record.resource === 'customer').record;
  await tool('get_record', { resource: 'customer', id });
  const { records } = await tool('get_related_records', { resource: 'customer', id, relation: 'orders' });
  const { items } = await tool('list_items', { record: `customer:${String(id)}` });
  return { id, orders: records.length, items: items.length };
};

const waitForBulk = async ({ tool }: Caller, id: string, since: string): Promise<string> => {
  for (let cursor = since; ;) {
    const { changes = [], cursor: next } = await tool('list_changes', { since: cursor, types: 'bulk', wait: '30s' });
    cursor = next;
    if (changes.some(({ bulk }: Answer) => bulk.id === id && bulk.status === 'done')) return cursor;
  }
};

const closeErrors = async (caller: Caller): Promise<Shift['closed']> => {
  const { begin, tool } = caller;
  begin('errors grouped');
  const { groups } = await tool('summarize_items', { inbox: 'errors', state: 'open', by: 'fields.type' });
  const { key, count: matched } = groups[0];
  begin('errors closed by query and undone');
  const query = { inbox: 'errors', state: ['open'], fields: { type: key } };
  const operation = { type: 'state', state: 'resolved' };
  const asked = { query, expect: matched, operation, reason: `Fixed: ${String(key)}.` };
  await tool('bulk_items', { ...asked, dryRun: true });
  const { cursor } = await tool('list_changes', { types: 'bulk' });
  const { bulk } = await tool('bulk_items', asked);
  const then = await waitForBulk(caller, bulk.id, cursor);
  const undo = (await tool('undo_bulk', { id: bulk.id, reason: 'It came back.' })).bulk;
  await waitForBulk(caller, undo.id, then);
  return { bulk: bulk.id, undo: undo.id, matched };
};

const refund = async ({ begin, tool }: Caller, { approve }: ShiftOptions): Promise<Shift['refund']> => {
  begin('a refund');
  const { items } = await tool('list_items', { inbox: 'refunds', state: 'requested', limit: 10, fields: 'record' });
  const refs = items.map(({ record }: Answer) => ({ resource: 'order', id: record.id }));
  const { available } = await tool('available_actions', { refs });
  const { id: order } = available.find(({ actions }: Answer) =>
    actions.some(({ action }: Answer) => action === 'refund_payment'),
  );
  const { approval } = await tool('action_refund_payment', {
    record: order,
    reason: 'duplicate',
    confirmed: true,
  });
  await approve(approval);
  const { status } = (await tool('get_approval', { id: approval })).approval;
  return { order, approval, status };
};

const ramp = async ({ begin, tool }: Caller): Promise<Shift['flag']> => {
  begin('a ramp with guard');
  const [name, to] = ['new_checkout', 50];
  const guard = { inbox: 'errors', above: 50, within: '15m', then: 'rollback' };
  await tool('get_flag', { flag: name });
  await tool('change_flag', { flag: name, change: { ramp: { to, over: '1d', every: '1h', guard } }, replace: true });
  return { name, to };
};

const reportShift = async ({ begin, tool }: Caller, began: string): Promise<Shift['report']> => {
  begin('report of the shift');
  await tool('get_counts');
  const report = [];
  for (let since = began; ;) {
    const { changes, cursor } = await tool('list_changes', {
      since,
      by: 'me',
      types: ['timeline', 'flag', 'approval'],
      limit: 200,
    });
    report.push(...changes);
    if (changes.length === 0) return report;
    since = cursor;
  }
};

type Query = (text: string, values: unknown[]) => Promise<readonly unknown[]>;

/** Returns whether the sweeps have indexed the texts of the events up to one, and the records, which were loaded by SQL. */
export const isIndexed = async (sql: Query, lastEvent: string | undefined): Promise<boolean> => {
  const texts = await sql('select from item_words_progress where event < $1', [lastEvent]);
  const records = await sql('select from records where stamp < $1 limit 1', [firstStamp]);
  return texts.length + records.length === 0;
};

/** Works a shift and returns what it did and cost. Throws for an answer that is an error. */
export const workShift = async (agent: ShiftAgent, options: ShiftOptions): Promise<Shift> => {
  const caller = createCaller(agent, options);
  const { steps, total } = caller;
  const began = await overview(caller);
  const done = {
    ...(await triage(caller)),
    customer: await readCustomer(caller),
    closed: await closeErrors(caller),
    refund: await refund(caller, options),
    flag: await ramp(caller),
  };
  return { steps, total, ...done, report: await reportShift(caller, began) };
};
