/**
 * Messages between processes about calls to apps, through Redis: a line of JSON, and below it the params or the answer as a
 * text, which may be megabytes that the relay does not parse. Used by remoteCalls.ts.
 */

export type RelayMessage =
  /** To the process that has the socket; the body is the params. */
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
  /** Back to the caller: the call is sent; nothing was sent; the frame that answered (the body); no answer will come. */
  | { readonly kind: 'taken'; readonly id: string }
  | { readonly kind: 'gone'; readonly id: string }
  | { readonly kind: 'frame'; readonly id: string }
  | { readonly kind: 'ended'; readonly id: string; readonly how: 'timeout' | 'lost' }
  /** From a process to itself: shows that its channel works. */
  | { readonly kind: 'echo' };

export const encodeRelayMessage = (note: RelayMessage, body = ''): string => `${JSON.stringify(note)}\n${body}`;

export const decodeRelayMessage = (text: string): { readonly note: RelayMessage; readonly body: string } => {
  const end = text.indexOf('\n');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `encodeRelayMessage` writes these texts
  return { note: JSON.parse(text.slice(0, end)) as RelayMessage, body: text.slice(end + 1) };
};
