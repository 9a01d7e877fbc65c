/** Where notes and replies are written. A draft outlives everything but its sending; a repeated sending is sent once. Used by ItemDetail. */
import { type FocusEvent, type KeyboardEvent, type RefObject, useEffect, useState } from 'react';
import { placeholdersIn } from '../../../shared/platform/words/markdown.ts';
import { Markdown } from '../content/Blocks.tsx';
import { legible } from '../content/values.ts';
import { focusWork } from '../shell/focus.ts';
import { useRead } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { useDraft } from '../ui/draft.ts';
import { Select, ProblemText, TooLong, reasonMost } from '../ui/fields.tsx';
import { useFoot } from '../ui/foot.ts';
import { uiTexts } from '../ui/texts.tsx';
import { ApiError } from '../wire/apiError.ts';
import { recipientQuery } from '../wire/queries.ts';
import type { Entry, Inbox, Item } from '../wire/types.ts';
import { afterPaint } from './change.ts';
import { isReachable } from './filter.ts';
import { inboxTexts } from './texts.tsx';
import { type Writing, textMost, useWriting } from './useWriting.ts';

/** Below the id of every entry. */
const belowAllIds = 'ent';

interface AnsweredOptions {
  /** The key of the draft. */
  readonly place: string;
  /** Whether anything is written. */
  readonly isBegun: boolean;
  /** Newest first; undefined: not read yet. */
  readonly timeline: readonly Entry[] | undefined;
  /** Whether it is being sent: its own entry may come before its answer. */
  readonly isBusy: boolean;
}

interface Answered {
  /** The newest reply since this one was begun. */
  readonly reply: Entry | null;
  /** Whether it was told when one's own was to be sent. */
  readonly isTold: boolean;
  tell(): void;
}

/** The draft keeps the newest entry that was there when it was begun, so that what comes before a reload or a sign-in is told after it. */
const useAnswered = ({ place, isBegun, timeline, isBusy }: AnsweredOptions): Answered => {
  const [since, setSince] = useDraft(`${place}.since`);
  const [told, setTold] = useState<string | null>(null);
  const newest = timeline === undefined ? '' : (timeline[0]?.id ?? belowAllIds);
  useEffect(() => {
    if (isBegun ? since === '' && newest !== '' : since !== '') setSince(isBegun ? newest : '');
  }, [isBegun, since, newest, setSince]);
  const reply =
    isBegun && !isBusy && since !== ''
      ? (timeline?.find(({ id, type }) => type === 'reply' && id > since) ?? null)
      : null;
  return { reply, isTold: reply !== null && told === reply.id, tell: () => setTold(reply?.id ?? null) };
};

export interface ComposerProps {
  readonly item: Item;
  readonly inbox: Inbox;
  /** Newest first; undefined: not read yet. */
  readonly timeline: readonly Entry[] | undefined;
  readonly me: string | null;
  /** What the person chose; null: nothing yet. */
  readonly writing: Writing | null;
  readonly may: (verb: string) => boolean;
  readonly onWriting: (writing: Writing) => void;
  readonly input: RefObject<HTMLTextAreaElement | null>;
}

interface TabsProps extends Pick<ComposerProps, 'onWriting'> {
  readonly kind: Writing;
  readonly kinds: readonly Writing[];
}

const keyOf = { reply: 'r', note: 'n' } as const;

/** Scrolls an entry of the timeline into sight. */
const showEntry = (id: string): void => document.getElementById(`entry-${id}`)?.scrollIntoView({ block: 'nearest' });

const Tabs = ({ kind, kinds, onWriting }: TabsProps) => (
  <div className="tabs" role="tablist">
    {kinds.map((each) => (
      <button key={each} type="button" role="tab" aria-selected={kind === each} onClick={() => onWriting(each)}>
        {inboxTexts.item[each]} <kbd aria-hidden>{keyOf[each]}</kbd>
      </button>
    ))}
  </div>
);

interface ThenProps extends Pick<ComposerProps, 'item' | 'inbox'> {
  readonly value: string;
  readonly onChange: (state: string) => void;
}

/** The state that follows a reply. */
const Then = ({ item, inbox, value, onChange }: ThenProps) => {
  const states = inbox.states.filter(
    ({ name }) => name !== item.state && (isReachable(inbox, item, name) || name === value),
  );
  return (
    <Select
      aria-label={inboxTexts.item.then}
      value={value === item.state ? '' : value}
      any={inboxTexts.item.thenNothing(item.state)}
      options={states.map(({ name }) => [name, inboxTexts.item.thenSet(name)])}
      onValue={onChange}
    />
  );
};

/** Whom a reply goes to, where the service sends it itself, and what to look at before. */
const Recipient = ({ item, inbox }: Pick<ComposerProps, 'item' | 'inbox'>) => {
  const { data, error } = useRead((http) => recipientQuery(http, item, inbox.reasonRequired));
  if (error instanceof ApiError && error.code === 'action_failed') return <p className="problem">{error.message}</p>;
  if (data === undefined) return null;
  return (
    <>
      {data.to !== null && <p className="soft">{inboxTexts.item.to(<bdi>{legible(data.to)}</bdi>)}</p>}
      {data.warnings.map(({ code, message }) => (
        <p
          {...(code === 'sent_by_app' ? { className: 'soft' } : { className: 'hint', role: 'alert' })}
          key={code}
          dir="auto"
        >
          {legible(message)}
        </p>
      ))}
    </>
  );
};

export const Composer = ({ item, inbox, timeline, me, writing: chosen, may, onWriting, input }: ComposerProps) => {
  const canReply = inbox.reply !== null && may('reply');
  const canNote = may('note');
  const place = useFoot('--composer');
  const [wantsPreview, setPreview] = useState(false);
  const onSent = (entry: string): void => {
    setPreview(false);
    // Not from where somebody types by now; a button that is disabled meanwhile has lost the focus.
    const { activeElement } = document;
    if (activeElement === document.body || activeElement?.closest('.composer') != null) focusWork();
    afterPaint(() => showEntry(entry));
  };
  const {
    place: draft,
    kind,
    text,
    problem,
    reason,
    isBusy,
    isReady,
    send,
    ...writing
  } = useWriting({ item, inbox, chosen, canReply, onSent });
  const isReply = kind === 'reply';
  const placeholders = placeholdersIn(text);
  const { reply, isTold, tell } = useAnswered({
    place: draft,
    isBegun: isReply && text.trim() !== '',
    timeline,
    isBusy,
  });
  if (!canReply && !canNote) return null;
  /** Sends it, but after another one's reply only once that has been told. */
  const sendOrTell = (): void => {
    if (reply === null || isTold) {
      void send();
      return;
    }
    tell();
    showEntry(reply.id);
  };
  const isPreview = wantsPreview && text.trim() !== '';
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') focusWork();
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    sendOrTell();
  };
  /** Ends the preview, which hides the text, and sets the caret behind a kept draft: a new field has it at the start. */
  const beginToWrite = ({ target }: FocusEvent<HTMLTextAreaElement>): void => {
    setPreview(false);
    if (target.selectionEnd === 0) target.setSelectionRange(target.value.length, target.value.length);
  };
  return (
    <section ref={place} className={`composer ${kind}`} aria-label={inboxTexts.item[kind]} onKeyDown={press}>
      <Tabs
        kind={kind}
        kinds={[...(canReply ? ['reply' as const] : []), ...(canNote ? ['note' as const] : [])]}
        onWriting={onWriting}
      />
      {isReply && <Recipient item={item} inbox={inbox} />}
      {isPreview && (
        <section className="preview" aria-label={inboxTexts.item.preview} tabIndex={0}>
          <Markdown text={text} />
        </section>
      )}
      <textarea
        ref={input}
        className={isPreview ? 'hidden' : ''}
        aria-label={isReply ? inboxTexts.item.replyLabel : inboxTexts.item.noteLabel}
        placeholder={isReply ? inboxTexts.item.replyPlaceholder : inboxTexts.item.notePlaceholder}
        value={text}
        readOnly={isBusy}
        rows={3}
        onChange={({ target }) => writing.setText(target.value)}
        onFocus={beginToWrite}
      />
      {isReply && placeholders.length > 0 && (
        <p className="hint" role="alert">
          {inboxTexts.item.unfilled(placeholders.join(', '))}
        </p>
      )}
      <TooLong what={inboxTexts.item.theText} text={text} most={textMost} />
      {reply !== null && (
        <p className={isTold ? 'problem' : 'hint'} role="alert">
          {reply.actor.id === me
            ? inboxTexts.item.answeredByMe(isTold)
            : inboxTexts.item.answered(reply.actor.name, isTold)}{' '}
          <Button tone="bare" onClick={() => showEntry(reply.id)}>
            {inboxTexts.item.showAnswer}
          </Button>
        </p>
      )}
      <ProblemText text={problem} />
      {inbox.reasonRequired && (
        <input
          aria-label={uiTexts.form.reason}
          placeholder={inboxTexts.item.reasonPlaceholder}
          value={reason}
          onChange={({ target }) => writing.setReason(target.value)}
        />
      )}
      <TooLong what={uiTexts.form.theReason} text={reason} most={reasonMost} />
      <div className="composer-foot">
        {isReply && may('state') && <Then item={item} inbox={inbox} value={writing.then} onChange={writing.setThen} />}
        {text.trim() !== '' && (
          <Button tone="bare" aria-pressed={isPreview} onClick={() => setPreview(!isPreview)}>
            {inboxTexts.item.preview}
          </Button>
        )}
        <span className="soft">{isReply ? inboxTexts.item.replyIsFinal : ''}</span>
        <Button tone="main" disabled={isBusy || !isReady} onClick={sendOrTell} shortcut="⌘↵">
          {isReply ? (isTold ? inboxTexts.item.sendReplyToo : inboxTexts.item.sendReply) : inboxTexts.item.addNote}
        </Button>
      </div>
    </section>
  );
};
