/** Formats live messages as lines of a terminal; used by `npm run watch`. */
import { stripVTControlCharacters } from 'node:util';

/** The members of every live message; the others depend on its type, and newer types may come. */
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

/** Returns a text as one line without control characters: titles come from outside and must not control the terminal. */
const cleanLine = (value: unknown): string => {
  const text = typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);
  const line = stripVTControlCharacters(text)
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069\s]+/gu, ' ')
    .trim();
  return line.length > widest ? `${line.slice(0, widest - 1)}…` : line;
};

const formatActor = (value: unknown): string => {
  const { name = 'somebody', type = '' } = (value ?? {}) as Named;
  return type === 'person' ? cleanLine(name) : `${cleanLine(name)} (${type})`;
};

const count = (value: unknown): string => (typeof value === 'number' ? value.toLocaleString('en') : '?');

const itemLine = ({ change, item, by }: LiveMessage): string => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service’s messages of this type have the item as an object
  const { inbox, title, state, assignee, tags } = item as Record<string, unknown>;
  const parts = [
    state,
    ...(assignee === null ? [] : ['assigned']),
    ...(Array.isArray(tags) ? tags.map((tag) => `#${String(tag)}`) : []),
  ];
  return `${cleanLine(inbox)}  ${String(change)} by ${formatActor(by)}: “${cleanLine(title)}” ${cleanLine(parts.join(' '))}`;
};

/** Returns the text of an entry's data, beyond its type. */
const formatEntryData = (data: Record<string, unknown>): string => {
  if ('text' in data) return `“${cleanLine(data['text'])}”`;
  if ('to' in data) return `${cleanLine(data['from'] ?? 'nobody')} → ${cleanLine(data['to'] ?? 'nobody')}`;
  if ('run' in data || 'approval' in data)
    return cleanLine([data['label'] ?? data['kind'], 'is', data['status']].join(' '));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service writes occurrences as an object
  if ('occurrences' in data) return `now ${count((data['occurrences'] as { to?: number }).to)} times`;
  const { add = [], remove = [] } = data as { add?: string[]; remove?: string[] };
  return cleanLine([...add.map((tag) => `+${tag}`), ...remove.map((tag) => `−${tag}`)].join(' '));
};

const timelineLine = ({ inbox, item, entry }: LiveMessage): string => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service’s messages of this type have an entry of this form
  const { type, actor, data } = entry as { type: string; actor: unknown; data: Record<string, unknown> };
  return [
    `${cleanLine(inbox)}  ${cleanLine(type)} by ${formatActor(actor)}:`,
    formatEntryData(data),
    `(${cleanLine(item)})`,
  ]
    .filter((part) => part !== '')
    .join(' ');
};

const countsLine = ({ inboxes }: LiveMessage): string =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service’s messages of this type have an object for each inbox
  Object.entries((inboxes ?? {}) as Record<string, Record<string, unknown>>)
    .map(([name, { byState, ...rest }]) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service writes the numbers of the states as an object
      const all = { ...(byState as Record<string, unknown> | undefined), ...rest };
      return `${cleanLine(name)}: ${Object.entries(all)
        .map(([measure, n]) => `${cleanLine(measure)} ${count(n)}`)
        .join(', ')}`;
    })
    .join('; ');

const bulkLine = ({ bulk }: LiveMessage): string => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service’s messages of this type have the bulk change as an object
  const { id, status, done, total, by } = bulk as Record<string, unknown>;
  return `${cleanLine(id)} is ${cleanLine(status)}: ${count(done)} of ${count(total)}, by ${formatActor(by)}`;
};

const runLine = ({ run }: LiveMessage): string => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service’s messages of this type have the run as an object
  const { id, label, record, status, progress, message, error, by } = run as Record<string, unknown>;
  const far = status === 'running' && typeof progress === 'number' ? ` (${String(Math.round(progress * 100))} %)` : '';
  const rest = message ?? error;
  return `${cleanLine(label)}${record === null ? '' : ` of ${cleanLine(record)}`} is ${cleanLine(status)}${far}${rest === null || rest === undefined ? '' : `: “${cleanLine(rest)}”`}, by ${formatActor(by)} (${cleanLine(id)})`;
};

const approvalLine = ({ approval }: LiveMessage): string => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service’s messages of this type have the approval as an object
  const { id, summary, status, requestedBy, decidedBy } = approval as Record<string, unknown>;
  return `${cleanLine(summary)} is ${cleanLine(status)}${decidedBy === null ? '' : ` by ${formatActor(decidedBy)}`}, asked for by ${formatActor(requestedBy)} (${cleanLine(id)})`;
};

const flagLine = ({ flag, by }: LiveMessage): string => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service’s messages of this type have the flag as an object
  const { flag: key, value, rollout, ramp } = flag as Record<string, unknown>;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service writes a ramp as an object or null
  const { status, step, steps } = (ramp ?? {}) as Record<string, unknown>;
  const ramped =
    ramp === null || ramp === undefined ? '' : `, ramp ${cleanLine(status)} at step ${count(step)} of ${count(steps)}`;
  return `${cleanLine(key)} is ${cleanLine(JSON.stringify(value))}${rollout === null ? '' : `, rolled out to ${cleanLine(rollout)} %`}${ramped}, by ${formatActor(by)}`;
};

const helloLine = ({ principal, resumed }: LiveMessage): string =>
  `${resumed === true ? 'going on' : 'watching'} as ${formatActor(principal)}`;

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
  reset: ({ reason }) => `fetch anew what you show: ${cleanLine(reason)}`,
};

/** Returns the message in one line, beginning with its local time. */
export const formatLiveMessage = (message: LiveMessage): string => {
  const { type, at, offset: _offset, prev: _prev, ...rest } = message;
  const time = new Date(at).toTimeString().slice(0, 8);
  const text = Object.hasOwn(lines, type) ? lines[type]?.(message) : cleanLine(JSON.stringify(rest));
  return `${time}  ${type.padEnd(8)}  ${text ?? ''}`;
};
