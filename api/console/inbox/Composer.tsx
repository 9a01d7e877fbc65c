/** Where notes and replies are written. A draft outlives everything but its sending; a repeated sending is sent once. Used by ItemDetail. */
import { useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { Markdown } from '../content/Markdown.tsx';
import { useStreamState } from '../live/stream.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { readDraft, useDraft } from '../ui/draft.ts';
import { ApiError, newIdempotencyKey } from '../wire/http.ts';
import { keys } from '../wire/queries.ts';
import type { Entry, Inbox, Item, ItemDetail } from '../wire/types.ts';

export type Writing = 'reply' | 'note';

interface ComposerProps {
  readonly item: Item;
  readonly inbox: Inbox;
  /** What the person chose; null: nothing yet. */
  readonly writing: Writing | null;
  readonly may: (verb: string) => boolean;
  readonly onWriting: (writing: Writing) => void;
  readonly input: RefObject<HTMLTextAreaElement | null>;
}

/** Returns what an item begins with: a reply, or the note that was begun there. */
const usual = (draft: string): Writing =>
  readDraft(`${draft}.note`) !== '' && readDraft(`${draft}.reply`) === '' ? 'note' : 'reply';

export const Composer = ({ item, inbox, writing: chosen, may, onWriting, input }: ComposerProps) => {
  const { http, items, queries, notices } = useSession();
  const [first] = useState(() => usual(`${http.environment}.${item.id}`));
  const writing = chosen ?? first;
  const [text, setText] = useDraft(`${http.environment}.${item.id}.${writing}`);
  const [then, setThen] = useState('');
  const [reason, setReason] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [wantsPreview, setPreview] = useState(false);
  /** The key of this text: another text is another message. */
  const sent = useRef({ text: '', key: '' });
  const canReply = inbox.reply !== null && may('reply');
  const canNote = may('note');
  const { appOnline } = useStreamState(useSession().stream());
  const goesByApp = inbox.reply?.via === 'app';
  const sentText =
    goesByApp && appOnline === false ? 'The reply waits until the app is back.' : 'The reply is on its way.';
  const kind: Writing = writing === 'reply' && canReply ? 'reply' : 'note';
  if (!canReply && !canNote) return null;
  const isPreview = wantsPreview && text.trim() !== '';
  const isReady = text.trim() !== '' && (!inbox.reasonRequired || reason.trim() !== '');
  const send = async (): Promise<void> => {
    if (!isReady || isBusy) return;
    const signature = JSON.stringify([kind, item.id, text, then, reason]);
    if (sent.current.text !== signature) sent.current = { text: signature, key: newIdempotencyKey() };
    setBusy(true);
    setProblem(null);
    try {
      const { body } = await http.call<{ item: Item; entry: Entry }>(
        'POST',
        `/items/${item.id}/${kind === 'reply' ? 'reply' : 'notes'}`,
        {
          body: {
            text,
            ...(kind === 'reply' && then !== '' ? { then: { state: then } } : {}),
            ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
          },
          idempotencyKey: sent.current.key,
        },
      );
      items.put([body.item]);
      queries.setQueryData<ItemDetail>(keys.item(item.id), (known) =>
        known === undefined || known.timeline.some(({ id }) => id === body.entry.id)
          ? known
          : { ...known, timeline: [body.entry, ...known.timeline] },
      );
      setText('');
      setPreview(false);
      setThen('');
      setReason('');
      onWriting('reply');
      notices.show({ tone: 'done', text: kind === 'reply' ? sentText : 'Note added.' });
      input.current?.blur();
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : String(error));
    }
    setBusy(false);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') input.current?.blur();
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    void send();
  };
  return (
    <section className={`composer ${kind}`} aria-label={kind === 'reply' ? 'Reply' : 'Note'}>
      <div className="tabs" role="tablist">
        {canReply && (
          <button type="button" role="tab" aria-selected={kind === 'reply'} onClick={() => onWriting('reply')}>
            Reply <kbd aria-hidden>r</kbd>
          </button>
        )}
        {canNote && (
          <button type="button" role="tab" aria-selected={kind === 'note'} onClick={() => onWriting('note')}>
            Note <kbd aria-hidden>n</kbd>
          </button>
        )}
      </div>
      {isPreview && (
        <section className="preview" aria-label="Preview" tabIndex={0}>
          <Markdown text={text} />
        </section>
      )}
      <textarea
        ref={input}
        className={isPreview ? 'hidden' : ''}
        aria-label={kind === 'reply' ? 'Reply to the customer' : 'Note for colleagues'}
        placeholder={kind === 'reply' ? 'Write to the customer' : 'Write a note; only colleagues see it'}
        value={text}
        rows={3}
        maxLength={65_536}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={press}
      />
      {problem !== null && (
        <p className="problem" role="alert">
          {problem} Your text is kept.
        </p>
      )}
      {inbox.reasonRequired && (
        <input
          aria-label="Reason"
          placeholder="Reason; this inbox wants one"
          value={reason}
          maxLength={2_000}
          onChange={({ target }) => setReason(target.value)}
          onKeyDown={press}
        />
      )}
      <div className="composer-foot">
        {kind === 'reply' && may('state') && (
          <select aria-label="Then" value={then} onChange={({ target }) => setThen(target.value)}>
            <option value="">Leave it {item.state}</option>
            {inbox.states
              .filter(
                ({ name }) =>
                  name !== item.state &&
                  (inbox.transitions === null || inbox.transitions[item.state]?.includes(name) === true),
              )
              .map(({ name }) => (
                <option key={name} value={name}>
                  then set to {name}
                </option>
              ))}
          </select>
        )}
        {text.trim() !== '' && (
          <Button tone="bare" aria-pressed={isPreview} onClick={() => setPreview(!isPreview)}>
            Preview
          </Button>
        )}
        <span className="soft">{kind === 'reply' ? 'A reply can’t be taken back.' : ''}</span>
        <Button tone="main" disabled={isBusy || !isReady} onClick={() => void send()} shortcut="⌘↵">
          {kind === 'reply' ? 'Send reply' : 'Add note'}
        </Button>
      </div>
    </section>
  );
};
