/** Where notes and replies are written. A draft outlives everything but its sending; a repeated sending is sent once. Used by ItemDetail. */
import { useState, type FocusEvent, type KeyboardEvent, type RefObject } from 'react';
import { Markdown } from '../content/Markdown.tsx';
import { afterPaint } from '../ui/afterPaint.ts';
import { Button } from '../ui/Button.tsx';
import { focusWork } from '../ui/focus.ts';
import { useFoot } from '../ui/foot.ts';
import { reasonMost, TooLong } from '../ui/TooLong.tsx';
import type { Entry, Inbox, Item } from '../wire/types.ts';
import { isReachable } from './filter.ts';
import { itemTexts } from './itemTexts.tsx';
import { useAnswered } from './useAnswered.ts';
import { textMost, useWriting, type Writing } from './useWriting.ts';

interface ComposerProps {
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
        {itemTexts[each]} <kbd aria-hidden>{keyOf[each]}</kbd>
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
    <select
      aria-label={itemTexts.then}
      value={value === item.state ? '' : value}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">{itemTexts.thenNothing(item.state)}</option>
      {states.map(({ name }) => (
        <option key={name} value={name}>
          {itemTexts.thenSet(name)}
        </option>
      ))}
    </select>
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
  } = useWriting({
    item,
    inbox,
    chosen,
    canReply,
    onSent,
  });
  const isReply = kind === 'reply';
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
    <section ref={place} className={`composer ${kind}`} aria-label={itemTexts[kind]} onKeyDown={press}>
      <Tabs
        kind={kind}
        kinds={[...(canReply ? ['reply' as const] : []), ...(canNote ? ['note' as const] : [])]}
        onWriting={onWriting}
      />
      {isPreview && (
        <section className="preview" aria-label={itemTexts.preview} tabIndex={0}>
          <Markdown text={text} />
        </section>
      )}
      <textarea
        ref={input}
        className={isPreview ? 'hidden' : ''}
        aria-label={isReply ? itemTexts.replyLabel : itemTexts.noteLabel}
        placeholder={isReply ? itemTexts.replyPlaceholder : itemTexts.notePlaceholder}
        value={text}
        readOnly={isBusy}
        rows={3}
        onChange={({ target }) => writing.setText(target.value)}
        onFocus={beginToWrite}
      />
      <TooLong what={itemTexts.theText} text={text} most={textMost} />
      {reply !== null && (
        <p className={isTold ? 'problem' : 'hint'} role="alert">
          {reply.actor.id === me ? itemTexts.answeredByMe(isTold) : itemTexts.answered(reply.actor.name, isTold)}{' '}
          <Button tone="bare" onClick={() => showEntry(reply.id)}>
            {itemTexts.showAnswer}
          </Button>
        </p>
      )}
      {problem !== null && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {inbox.reasonRequired && (
        <input
          aria-label={itemTexts.reason}
          placeholder={itemTexts.reasonPlaceholder}
          value={reason}
          onChange={({ target }) => writing.setReason(target.value)}
        />
      )}
      <TooLong what={itemTexts.theReason} text={reason} most={reasonMost} />
      <div className="composer-foot">
        {isReply && may('state') && <Then item={item} inbox={inbox} value={writing.then} onChange={writing.setThen} />}
        {text.trim() !== '' && (
          <Button tone="bare" aria-pressed={isPreview} onClick={() => setPreview(!isPreview)}>
            {itemTexts.preview}
          </Button>
        )}
        <span className="soft">{isReply ? itemTexts.replyIsFinal : ''}</span>
        <Button tone="main" disabled={isBusy || !isReady} onClick={sendOrTell} shortcut="⌘↵">
          {isReply ? (isTold ? itemTexts.sendReplyToo : itemTexts.sendReply) : itemTexts.addNote}
        </Button>
      </div>
    </section>
  );
};
