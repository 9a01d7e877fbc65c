/** How a row of the permission matrix is called: over HTTP, and as a tool. */
import { randomUUID } from 'node:crypto';
import type { Client, Reply } from '../../support/http.ts';
import type { Thing } from './columns.ts';
import { nameOf, record, there } from './declared.ts';
import type { MatrixWorld } from './matrixWorld.ts';

/** `sup` requests something else than the others do, so that there is something left to request. */
const supervised: Readonly<Record<string, object>> = {
  state: { state: 'closed' },
  assign: { assignee: 'pers' },
  tags: { add: ['sup'] },
  snooze: { until: 4_102_444_800_001 },
  triage: { answers: { spam: 'yes' } },
};
/** The tool of an endpoint. */
const tools: Readonly<Record<string, string>> = {
  'GET /me': 'get_me',
  'GET /inboxes': 'list_inboxes',
  'GET /views': 'list_views',
  'GET /people': 'list_people',
  'GET /items': 'list_items',
  'GET /items/{id}': 'get_item',
  'GET /items/{id}/timeline': 'get_item_timeline',
  'GET /items/{id}/occurrences': 'get_item_occurrences',
  'POST /items': 'create_item',
  'POST /items/{id}/state': 'set_item_state',
  'POST /items/{id}/assign': 'assign_item',
  'POST /items/{id}/tags': 'tag_item',
  'POST /items/{id}/snooze': 'snooze_item',
  'POST /items/claim': 'claim_next',
  'POST /items/{id}/claim': 'claim_item',
  'POST /items/{id}/release': 'release_item',
  'POST /items/{id}/notes': 'add_note',
  'POST /items/{id}/reply': 'reply_to_item',
  'POST /items/{id}/triage': 'triage_item',
  'POST /bulk': 'bulk_items',
  'GET /bulk': 'list_bulks',
  'GET /bulk/{id}': 'get_bulk',
  'GET /bulk/{id}/results': 'get_bulk_results',
  'POST /bulk/{id}/cancel': 'cancel_bulk',
  'POST /bulk/{id}/undo': 'undo_bulk',
  'GET /actions': 'list_actions',
  'POST /available': 'available_actions',
  'GET /runs': 'list_runs',
  'GET /runs/{id}': 'get_run',
  'POST /runs/{id}/cancel': 'cancel_run',
  'POST /runs/{id}/retry': 'retry_run',
  'GET /approvals': 'list_approvals',
  'GET /approvals/{id}': 'get_approval',
  'POST /approvals/{id}/cancel': 'cancel_approval',
  'POST /approvals/{id}/comments': 'comment_on_approval',
  'POST /questions': 'ask_question',
  'GET /flags': 'list_flags',
  'GET /flags/{flag}': 'get_flag',
  'GET /flags/{flag}/history': 'get_flag_history',
  'POST /flags/{flag}': 'change_flag',
  'GET /resources': 'list_resources',
  'GET /resources/{resource}': 'search_records',
  'GET /resources/{resource}/list': 'list_records',
  'GET /resources/{resource}/{id}': 'get_record',
  'GET /resources/{resource}/{id}/related/{relation}': 'get_related_records',
  'GET /pages': 'list_pages',
  'GET /pages/{page}': 'get_page',
  'GET /changes': 'list_changes',
  'GET /counts': 'get_counts',
  'GET /search': 'search',
  'PATCH /items/{id}': 'update_item',
};

/** Tools that refuse what was done over HTTP just before, unless they have a key. */
const keyed: ReadonlySet<string> = new Set(['bulk_items', 'create_item', 'add_note', 'update_item']);

const bodies: Readonly<Record<string, object>> = {
  state: { state: 'waiting' },
  assign: { assignee: null },
  tags: { add: ['x'] },
  snooze: { until: 4_102_444_800_000 },
  notes: { text: 'x' },
  reply: { subject: 'x', text: 'y' },
  triage: { answers: { spam: 'no' } },
  cancel: {},
  comments: { text: 'x' },
  answer: { answer: 'Yes' },
  decide: { decisions: [{ id: 'apr_01jd0000000000000000000000', digest: 'x' }], verdict: 'reject' },
  undo: {},
  tickets: {},
};

export interface Calls {
  send(endpoint: string, thing: Thing, client: Client): Promise<Reply>;
  /** The tool that does what the endpoint of a row does, with equivalent arguments; null: there is none. */
  toolOf(endpoint: string, thing: Thing, client: Client): readonly [string, object] | null;
}

export const callsOf = ({ clients, items, bulks, runs, approvals }: MatrixWorld): Calls => {
  const idOf = (path: string, thing: Thing): string => {
    if (path.startsWith('/resources')) return record.id;
    if (path.startsWith('/approvals'))
      return approvals.get(`${path.split('/')[3] ?? 'get'} ${thing}`) ?? 'apr_01jd0000000000000000000000';
    return (path.startsWith('/bulk') ? bulks : path.startsWith('/runs') ? runs : items).get(thing) ?? '';
  };

  const actionBody = (thing: Thing, variant: string): object => {
    if (variant === 'item') return { action: 'free', item: items.get(thing) };
    if (variant === 'record') return { action: 'own', record: thing === 'else' ? there : 'nosuch' };
    const dry = variant === 'dryRun' ? { dryRun: true } : {};
    return { action: nameOf(thing), ...(thing === 'free' || thing === 'bare' ? {} : { record: record.id }), ...dry };
  };
  const bulkBody = (thing: Thing, variant: string): object => {
    if (variant === 'action')
      return { ids: [items.get('own')], operation: { type: 'action', action: nameOf(thing), input: {} } };
    if (variant === 'query')
      return { query: { inbox: nameOf(thing) }, operation: { type: 'tags', add: [], remove: ['nosuch'] } };
    return {
      ids: [items.get(thing)],
      operation: { type: 'snooze', until: 4_102_444_800_000 },
      ...(variant === 'dryRun' ? { dryRun: true } : {}),
    };
  };
  const changeBody = (verb: string, client: Client): object => {
    const body = (client.id === clients.get('sup')?.id ? supervised[verb] : undefined) ?? bodies[verb] ?? {};
    return 'assignee' in body && body.assignee === 'pers' ? { assignee: clients.get('pers')?.id } : body;
  };
  const bodyOf = (path: string, thing: Thing, variant: string, client: Client): object => {
    switch (path) {
      case '/items':
        return { inbox: nameOf(thing), title: 'x' };
      case '/items/claim':
        return { query: { inbox: nameOf(thing) } };
      case '/actions':
        return actionBody(thing, variant);
      case '/questions':
        return {
          text: 'x',
          options: ['Yes', 'No'],
          ...(variant === 'item' ? { item: items.get(thing) } : {}),
        };
      case '/mcp':
        return { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      case '/available':
        return { refs: [{ resource: nameOf(thing), id: record.id }] };
      case '/bulk':
        return bulkBody(thing, variant);
      case '/flags/{flag}':
        return { change: { value: true }, ...(variant === 'dryRun' ? { dryRun: true } : {}) };
      case '/items/{id}':
        return variant === 'edit'
          ? { priority: client.id === clients.get('sup')?.id ? 'low' : 'high' }
          : { note: 'x', ...(variant === 'dryRun' ? { dryRun: true } : {}) };
      default:
        return {
          ...changeBody(path.split('/').at(-1) ?? '', client),
          ...(variant === 'dryRun' ? { dryRun: true } : {}),
        };
    }
  };

  const send = async (endpoint: string, thing: Thing, client: Client): Promise<Reply> => {
    const [method = '', path = '', variant = ''] = endpoint.split(' ');
    const [plain = '', parameter] = path.split('?');
    const query = parameter === undefined ? '' : `?${parameter}=${nameOf(thing)}`;
    const target = `${plain
      .replace(/\{resource\}|\{page\}|\{flag\}/, nameOf(thing))
      .replace('{relation}', 'same')
      .replace('{id}', idOf(plain, thing))}${query}`;
    return method === 'GET' ? client.get(target) : client.call(method, target, bodyOf(plain, thing, variant, client));
  };

  const toolOf = (endpoint: string, thing: Thing, client: Client): readonly [string, object] | null => {
    const [method = '', path = '', variant = ''] = endpoint.split(' ');
    const [plain = '', parameter] = path.split('?');
    const body = method === 'GET' ? {} : bodyOf(plain, thing, variant, client);
    if (`${method} ${plain}` === 'POST /actions') {
      if (variant === 'dryRun') return null;
      const { action, ...given } = body as { action: string };
      // Over HTTP the same was done just before.
      return [`action_${action}`, { ...given, idempotencyKey: randomUUID() }];
    }
    const name = tools[`${method} ${plain}`];
    if (name === undefined) return null;
    const params = {
      ...(plain.includes('{id}') ? { id: idOf(plain, thing) } : {}),
      ...Object.fromEntries(
        [...plain.matchAll(/\{(resource|page|flag)\}/g)].map(([, one = '']) => [one, nameOf(thing)]),
      ),
      ...(plain.includes('{relation}') ? { relation: 'same' } : {}),
    };
    // Over HTTP the bulk was done just before, too.
    // A tool's bulk by query says how many items it means, which its dry run need not.
    const tried = 'query' in body && name === 'bulk_items' ? { dryRun: true } : {};
    const key = keyed.has(name) && variant !== 'dryRun' ? { idempotencyKey: randomUUID() } : {};
    return [
      name,
      { ...params, ...(parameter === undefined ? {} : { [parameter]: nameOf(thing) }), ...body, ...tried, ...key },
    ];
  };

  return { send, toolOf };
};
