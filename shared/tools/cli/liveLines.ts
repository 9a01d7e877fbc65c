/** Live messages as lines for a person who watches a terminal. */
import { stripVTControlCharacters } from 'node:util';

/** What every live message has; the rest depends on its type, and newer types may come. */
export interface LiveMessage {
  readonly type: string;
  readonly offset: string;
  readonly at: number;
  readonly [member: string]: unknown;
}

interface Named {
  readonly name?: string;
  readonly type?: string;
}

const widest = 100;

/** One line of somebody's text: titles come from outside and must not steer the terminal. */
const clean = (value: unknown): string => {
  const text = typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);
  const line = stripVTControlCharacters(text).replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069\s]+/gu, ' ').trim();
  return line.length > widest ? `${line.slice(0, widest - 1)}…` : line;
};

const whom = (value: unknown): string => {
  const { name = 'somebody', type = '' } = (value ?? {}) as Named;
  return type === 'person' ? clean(name) : `${clean(name)} (${type})`;
};

const count = (value: unknown): string => (typeof value === 'number' ? value.toLocaleString('en') : '?');

const itemLine = ({ change, item, by }: LiveMessage): string => {
  const { inbox, title, state, assignee, tags } = item as Record<string, unknown>;
  const parts = [state, ...(assignee === null ? [] : ['assigned']), ...(Array.isArray(tags) ? tags.map((tag) => `#${String(tag)}`) : [])];
  return `${clean(inbox)}  ${String(change)} by ${whom(by)}: “${clean(title)}” ${clean(parts.join(' '))}`;
};

/** What an entry says beyond its type. */
const said = (data: Record<string, unknown>): string => {
  if ('text' in data) return `“${clean(data['text'])}”`;
  if ('to' in data) return `${clean(data['from'] ?? 'nobody')} → ${clean(data['to'] ?? 'nobody')}`;
  if ('run' in data || 'approval' in data) return clean([data['label'] ?? data['kind'], 'is', data['status']].join(' '));
  if ('occurrences' in data) return `now ${count((data['occurrences'] as { to?: number }).to)} times`;
  const { add = [], remove = [] } = data as { add?: string[]; remove?: string[] };
  return clean([...add.map((tag) => `+${tag}`), ...remove.map((tag) => `−${tag}`)].join(' '));
};

const timelineLine = ({ inbox, item, entry }: LiveMessage): string => {
  const { type, actor, data } = entry as { type: string; actor: unknown; data: Record<string, unknown> };
  return [`${clean(inbox)}  ${clean(type)} by ${whom(actor)}:`, said(data), `(${clean(item)})`].filter((part) => part !== '').join(' ');
};

const countsLine = ({ inboxes }: LiveMessage): string =>
  Object.entries((inboxes ?? {}) as Record<string, Record<string, unknown>>)
    .map(([name, { byState, ...rest }]) => {
      const all = { ...(byState as Record<string, unknown> | undefined), ...rest };
      return `${clean(name)}: ${Object.entries(all).map(([measure, n]) => `${clean(measure)} ${count(n)}`).join(', ')}`;
    })
    .join('; ');

const bulkLine = ({ bulk }: LiveMessage): string => {
  const { id, status, done, total, by } = bulk as Record<string, unknown>;
  return `${clean(id)} is ${clean(status)}: ${count(done)} of ${count(total)}, by ${whom(by)}`;
};

const runLine = ({ run }: LiveMessage): string => {
  const { id, label, record, status, progress, message, error, by } = run as Record<string, unknown>;
  const far = status === 'running' && typeof progress === 'number' ? ` (${String(Math.round(progress * 100))} %)` : '';
  const rest = message ?? error;
  return `${clean(label)}${record === null ? '' : ` of ${clean(record)}`} is ${clean(status)}${far}${rest === null || rest === undefined ? '' : `: “${clean(rest)}”`}, by ${whom(by)} (${clean(id)})`;
};

const approvalLine = ({ approval }: LiveMessage): string => {
  const { id, summary, status, requestedBy, decidedBy } = approval as Record<string, unknown>;
  return `${clean(summary)} is ${clean(status)}${decidedBy === null ? '' : ` by ${whom(decidedBy)}`}, asked for by ${whom(requestedBy)} (${clean(id)})`;
};

const flagLine = ({ flag, by }: LiveMessage): string => {
  const { flag: key, value, rollout, ramp } = flag as Record<string, unknown>;
  const { status, step, steps } = (ramp ?? {}) as Record<string, unknown>;
  const ramped = ramp === null || ramp === undefined ? '' : `, ramp ${clean(status)} at step ${count(step)} of ${count(steps)}`;
  return `${clean(key)} is ${clean(JSON.stringify(value))}${rollout === null ? '' : `, rolled out to ${clean(rollout)} %`}${ramped}, by ${whom(by)}`;
};

const helloLine = ({ principal, resumed }: LiveMessage): string => `${resumed === true ? 'going on' : 'watching'} as ${whom(principal)}`;

const lines: Readonly<Record<string, (message: LiveMessage) => string>> = {
  hello: helloLine,
  item: itemLine,
  timeline: timelineLine,
  counts: countsLine,
  bulk: bulkLine,
  run: runLine,
  approval: approvalLine,
  flag: flagLine,
  app: ({ online }) => `the app is ${online === true ? 'online' : 'offline'}`,
  reset: ({ reason }) => `fetch anew what you show: ${clean(reason)}`,
};

/** The message in one line, beginning with its local time. */
export const liveLine = (message: LiveMessage): string => {
  const { type, at, offset: _offset, prev: _prev, ...rest } = message;
  const time = new Date(at).toTimeString().slice(0, 8);
  const text = Object.hasOwn(lines, type) ? lines[type]?.(message) : clean(JSON.stringify(rest));
  return `${time}  ${type.padEnd(8)}  ${text ?? ''}`;
};
