/** The text that is being written on an item, kept as drafts until it is sent, and its sending. Used by Composer. */
import { useState } from 'react';
import { useStreamState } from '../live/stream.ts';
import { useSession, useOnScreen } from '../shell/session.ts';
import { forgetDraft, readDraft, useDraft } from '../ui/draft.ts';
import { excessOf, reasonMost } from '../ui/fields.tsx';
import { ApiError, messageOf } from '../wire/apiError.ts';
import { keys } from '../wire/queries.ts';
import { useSending } from '../wire/sendings.ts';
import type { Entry, Inbox, Item, ItemDetail } from '../wire/types.ts';
import { inboxTexts } from './texts.tsx';

export const writings = ['reply', 'note'] as const;
export type Writing = (typeof writings)[number];

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
  /** Called with the id of its entry when it has been sent, unless something else is being written by then. */
  readonly onSent: (entry: string) => void;
}

/** Returns the sentence of a reply that was taken. */
const useSentText = (inbox: Inbox): string => {
  const { appOnline } = useStreamState(useSession().stream());
  return inbox.reply?.via === 'app' && appOnline === false ? inboxTexts.item.replyWaits : inboxTexts.item.replySent;
};

export const useWriting = ({ item, inbox, chosen, canReply, onSent }: WritingOptions) => {
  const { http, items, queries, notices, sendings } = useSession();
  const draft = `${http.environment}.${item.id}`;
  const [first] = useState(() => usual(draft));
  const kind: Writing = (chosen ?? first) === 'reply' && canReply ? 'reply' : 'note';
  const place = `${draft}.${kind}`;
  const [text, setText] = useDraft(place);
  const [then, setThen] = useDraft(`${draft}.then`);
  const [reason, setReason] = useDraft(`${place}.reason`);
  const sending = useSending(sendings, place);
  const isBusy = sending?.isUnderWay === true;
  /** The draft that is on screen when an answer comes; null: another page is. */
  const onScreen = useOnScreen(place);
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
    forgetDraft(place, text);
    forgetDraft(`${place}.reason`, reason);
    if (kind === 'reply') forgetDraft(`${draft}.then`, then);
    notices.done(kind === 'reply' ? sentText : inboxTexts.item.noteAdded);
    if (onScreen.current === place) onSent(body.entry.id);
  };
  const send = async (): Promise<void> => {
    if (!isReady || isBusy) return;
    const body = {
      text,
      ...(kind === 'reply' && then !== '' && then !== item.state ? { then: { state: then } } : {}),
      ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
    };
    const path = `/items/${item.id}/${kind === 'reply' ? 'reply' : 'notes'}`;
    const options = { body, idempotencyKey: sendings.begin(place, JSON.stringify(body)) };
    try {
      const answer = await http.call<{ item: Item; entry: Entry }>('POST', path, options);
      show(answer.body);
      sendings.take(place);
    } catch (error) {
      const isKept = error instanceof ApiError && error.status === 0;
      const said = messageOf(error);
      const problem = isKept ? said : inboxTexts.item.textKept(said);
      sendings.refuse(place, problem, true);
      if (onScreen.current !== place) notices.failed(inboxTexts.item.notSent[kind](item.title, problem));
    }
  };
  const problem = sending?.problem ?? null;
  return { place, kind, text, setText, then, setThen, reason, setReason, isBusy, isReady, problem, send };
};
