/**
 * What processes tell each other about calls to apps, through Redis: a line of JSON, and below it the params or the
 * answer as they are, which may be megabytes that nobody on the way should parse and write again.
 */

export type RelayMessage =
  /** To the process that holds the socket; the body is the params. */
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly from: string;
      readonly connection: string;
      readonly method: string;
      readonly timeoutMs: number;
    }
  | {
      readonly kind: 'handOver';
      readonly id: string;
      readonly from: string;
      readonly connection: string;
      readonly env: number;
      readonly run: string;
    }
  | { readonly kind: 'replaced'; readonly connection: string }
  /** Back to the caller: it is on its way; nothing was sent; the frame that answered (the body); there will be none. */
  | { readonly kind: 'taken'; readonly id: string }
  | { readonly kind: 'gone'; readonly id: string }
  | { readonly kind: 'frame'; readonly id: string }
  | { readonly kind: 'ended'; readonly id: string; readonly how: 'timeout' | 'lost' }
  /** To oneself: whether one hears at all. */
  | { readonly kind: 'echo' };

export const encodeRelayMessage = (note: RelayMessage, body = ''): string => `${JSON.stringify(note)}\n${body}`;

export const decodeRelayMessage = (text: string): { readonly note: RelayMessage; readonly body: string } => {
  const end = text.indexOf('\n');
  return { note: JSON.parse(text.slice(0, end)) as RelayMessage, body: text.slice(end + 1) };
};
