/**
 * Messages between processes about sockets of apps, through Redis: a line of JSON, and below it the params or the answer as a
 * text, which may be megabytes that the relay does not parse. The bus seals them. Used by remoteCalls.ts.
 */
import type { RunHint } from './link.ts';
import type { AskingMethod } from './methods.ts';

/** What a process asks the one that has the socket of `connection`, and where it waits for the outcome. */
export interface RelayRequest {
  readonly id: string;
  readonly from: string;
  readonly connection: string;
  /** Whether `from` acknowledges the answer; processes of earlier releases don't. */
  readonly acknowledges?: true;
}

/** What goes back to the caller; `answeredBy` wants to be told that it has come. */
interface RelayAnswer {
  readonly id: string;
  readonly answeredBy?: string;
}

export type RelayMessage =
  /** Call a method that only asks; the body is the params. */
  | (RelayRequest & { readonly kind: 'call'; readonly method: AskingMethod; readonly timeoutMs: number })
  /** Dispatch a run, or a reply, as its row says. */
  | (RelayRequest & { readonly kind: 'run'; readonly envId: number } & RunHint)
  | (RelayRequest & {
      readonly kind: 'reply';
      readonly envId: number;
      readonly job: string;
      readonly fence: number;
      readonly timeoutMs: number;
    })
  | { readonly kind: 'replaced'; readonly connection: string }
  /** Back to the caller: the call is sent; nothing was sent; the frame that answered (the body); no answer will come. */
  | { readonly kind: 'taken'; readonly id: string }
  | (RelayAnswer & { readonly kind: 'gone' | 'frame' })
  | (RelayAnswer & { readonly kind: 'ended'; readonly how: 'timeout' | 'lost' })
  /** From the caller: the answer to its call has come. */
  | { readonly kind: 'answered'; readonly id: string; readonly from: string }
  /** From a process to itself: shows that its channel works. */
  | { readonly kind: 'echo' };

export const encodeRelayMessage = (note: RelayMessage, body = ''): string => `${JSON.stringify(note)}\n${body}`;

export const decodeRelayMessage = (text: string): { readonly note: RelayMessage; readonly body: string } => {
  const end = text.indexOf('\n');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `encodeRelayMessage` writes these texts
  return { note: JSON.parse(text.slice(0, end)) as RelayMessage, body: text.slice(end + 1) };
};
