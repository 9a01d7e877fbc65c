/** The text that is being written on an item, kept as drafts until it is sent, and its sending. Used by Composer. */
import { useRef, useState } from 'react';
import { useStreamState } from '../live/stream.ts';
import { useSession } from '../shell/session.ts';
import { readDraft, useDraft } from '../ui/draft.ts';
import { excessOf, reasonMost } from '../ui/TooLong.tsx';
import { ApiError } from '../wire/apiError.ts';
import { newIdempotencyKey } from '../wire/http.ts';
import { keys } from '../wire/queries.ts';
import type { Entry, Inbox, Item, ItemDetail } from '../wire/types.ts';
import { itemTexts } from './itemTexts.tsx';

export type Writing = 'reply' | 'note';

/** What the API takes, in characters. */
export const textMost = 65_536;

/** Returns what an item begins with: a reply, or the note that was begun there. */
const usual = (draft: string): Writing =>
  readDraft(`${draft}.note`) !== '' && readDraft(`${draft}.reply`) === '' ? 'note' : 'reply';

interface WritingOptions {
  readonly item: Item;
  readonly inbox: Inbox;
  /** What the person chose; null: nothing yet. */
  readonly chosen: Writing | null;
  readonly canReply: boolean;
  /** Called with the id of its entry when it has been sent. */
  readonly onSent: (entry: string) => void;
}

/** Returns the sentence of a reply that was taken. */
const useSentText = (inbox: Inbox): string => {
  const { appOnline } = useStreamState(useSession().stream());
  return inbox.reply?.via === 'app' && appOnline === false ? itemTexts.replyWaits : itemTexts.replySent;
};

export const useWriting = ({ item, inbox, chosen, canReply, onSent }: WritingOptions) => {
  const { http, items, queries, notices } = useSession();
  const draft = `${http.environment}.${item.id}`;
  const [first] = useState(() => usual(draft));
  const kind: Writing = (chosen ?? first) === 'reply' && canReply ? 'reply' : 'note';
  const [text, setText] = useDraft(`${draft}.${kind}`);
  const [then, setThen] = useDraft(`${draft}.then`);
  const [reason, setReason] = useDraft(`${draft}.reason`);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  /** The key of this text: another text is another message. */
  const sent = useRef({ text: '', key: '' });
  const sentText = useSentText(inbox);
  const isReady =
    text.trim() !== '' &&
    (!inbox.reasonRequired || reason.trim() !== '') &&
    excessOf(text, textMost) === 0 &&
    excessOf(reason, reasonMost) === 0;
  const show = (body: { readonly item: Item; readonly entry: Entry }): void => {
    items.put([body.item]);
    queries.setQueryData<ItemDetail>(keys.item(item.id), (known) =>
      known === undefined || known.timeline.some(({ id }) => id === body.entry.id)
        ? known
        : { ...known, timeline: [body.entry, ...known.timeline] },
    );
    for (const forget of [setText, setThen, setReason]) forget('');
    notices.show({ tone: 'done', text: kind === 'reply' ? sentText : itemTexts.noteAdded });
    onSent(body.entry.id);
  };
  const send = async (): Promise<void> => {
    if (!isReady || isBusy) return;
    const body = {
      text,
      ...(kind === 'reply' && then !== '' && then !== item.state ? { then: { state: then } } : {}),
      ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
    };
    const signature = JSON.stringify([kind, item.id, body]);
    if (sent.current.text !== signature) sent.current = { text: signature, key: newIdempotencyKey() };
    setBusy(true);
    setProblem(null);
    try {
      const path = `/items/${item.id}/${kind === 'reply' ? 'reply' : 'notes'}`;
      const options = { body, idempotencyKey: sent.current.key };
      show((await http.call<{ item: Item; entry: Entry }>('POST', path, options)).body);
    } catch (error) {
      const isKept = error instanceof ApiError && error.status === 0;
      const said = error instanceof Error ? error.message : String(error);
      setProblem(isKept ? said : itemTexts.textKept(said));
    }
    setBusy(false);
  };
  return { kind, text, setText, then, setThen, reason, setReason, isBusy, isReady, problem, send };
};
