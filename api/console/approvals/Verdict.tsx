/** The note and the buttons of a decision; what is grave is confirmed, and a rejection by key waits for its note. Used by Decision. */
import { useEffect, useId, useState, type KeyboardEvent, type ReactNode, type RefObject } from 'react';
import { useKeys } from '../shell/keyboard.ts';
import { Button } from '../ui/Button.tsx';
import { TooLong } from '../ui/fields.tsx';
import type { Approval } from '../wire/types.ts';
import { useIsDangerous } from './gravity.ts';
import { requestTexts } from './texts.tsx';
import { LeftOut, Sums } from './words.tsx';

export interface VerdictProps {
  readonly approval: Approval;
  readonly isBusy: boolean;
  /** What waits: an approval for its confirmation, a rejection for the end of its note; null: neither. */
  readonly asked: 'approve' | 'reject' | null;
  readonly note: string;
  readonly noteInput: RefObject<HTMLInputElement | null>;
  readonly onNote: (note: string) => void;
  readonly onDecide: (verb: 'approve' | 'reject') => void;
  /** Opens the form in which it is edited; null: it can't be. */
  readonly onEdit: (() => void) | null;
  /** Called when the person thinks better of it. */
  readonly onHold: () => void;
}

/** Characters of a note, as the API takes them. */
const noteMost = 500;

/** Milliseconds after which a confirmation counts: what comes earlier is the second half of a double tap or a double click. */
const deliberateMs = 400;

/** A button is pressed again and again by a key that is held down. */
const holdOnce = (event: KeyboardEvent): void => {
  if (event.repeat) event.preventDefault();
};

/** Takes the place of the buttons; the one that holds back has the focus, so that no key that is pressed by habit approves. */
const Confirmation = ({ approval, isBusy, onDecide, onHold }: VerdictProps) => {
  const [isReady, setReady] = useState(false);
  const alert = useId();
  const isDangerous = useIsDangerous(approval);
  const { final, dangerous, uncertain } = requestTexts.verdict;
  useEffect(() => {
    const timer = window.setTimeout(setReady, deliberateMs, true);
    return () => window.clearTimeout(timer);
  }, []);
  const confirm = (): void => {
    if (isReady && !isBusy) onDecide('approve');
  };
  useKeys({ 'mod+enter': ({ repeat }) => !repeat && confirm() });
  return (
    <div className="verdict-buttons" role="group" aria-label={requestTexts.verdict.confirm}>
      <div id={alert} role="alert">
        <p className="problem" dir="auto">
          {(approval.reversible === false ? final : isDangerous ? dangerous : uncertain)(approval.sentence)}
        </p>
        <LeftOut approval={approval} />
        <Sums approval={approval} />
      </div>
      <Button
        tone="danger"
        aria-describedby={alert}
        disabled={isBusy}
        aria-disabled={!isReady}
        onClick={confirm}
        onKeyDown={holdOnce}
        shortcut="⌘↵"
      >
        {requestTexts.verdict.approveAllTheSame}
      </Button>
      <Button autoFocus aria-describedby={alert} disabled={isBusy} onClick={onHold} onKeyDown={holdOnce} shortcut="Esc">
        {requestTexts.verdict.notYet}
      </Button>
    </div>
  );
};

const Note = ({ approval, isBusy, asked, note, noteInput, onNote, onDecide, onHold }: VerdictProps): ReactNode => {
  const [isShown, setShown] = useState(false);
  /** Whether Enter was pressed where no note stands. */
  const [isBare, setBare] = useState(false);
  const isRejecting = asked === 'reject';
  const isAsking = isRejecting && isBare && note.trim() === '';
  const who = approval.requestedBy.name;
  const press = (event: KeyboardEvent<HTMLInputElement>): void => {
    const { key, repeat, currentTarget, nativeEvent } = event;
    // The key that brought the focus here may still be held down.
    if (repeat && (key === 'Enter' || note === '')) event.preventDefault();
    if (repeat || nativeEvent.isComposing || (key !== 'Enter' && key !== 'Escape')) return;
    if (key === 'Enter' && isRejecting) {
      if (note.trim() === '' && !isBare) setBare(true);
      else onDecide('reject');
    } else {
      currentTarget.blur();
      onHold();
    }
  };
  return (
    <>
      <label className={isShown || note !== '' ? '' : 'quiet'}>
        {isRejecting ? requestTexts.verdict.whyRejected(who) : requestTexts.verdict.noteFor(who)}
        <input
          ref={noteInput}
          value={note}
          readOnly={isBusy}
          placeholder={isRejecting ? requestTexts.verdict.howToReject : requestTexts.verdict.optional}
          aria-keyshortcuts="n"
          onFocus={() => setShown(true)}
          onBlur={() => {
            setBare(false);
            if (isRejecting) onHold();
          }}
          onChange={({ target }) => {
            setBare(false);
            onNote(target.value);
          }}
          onKeyDown={press}
        />
      </label>
      {isAsking && <p role="alert">{requestTexts.verdict.rejectBare}</p>}
      {isRejecting && note !== '' && <p className="soft">{requestTexts.verdict.howToReject}</p>}
      <TooLong what={requestTexts.verdict.theNote} text={note} most={noteMost} />
    </>
  );
};

export const Verdict = (props: VerdictProps) => {
  const { approval, isBusy, asked, onDecide, onEdit } = props;
  return (
    <div className="verdict-form">
      <Note {...props} />
      {asked === 'approve' ? (
        <Confirmation {...props} />
      ) : (
        <div className="verdict-buttons">
          <Button
            tone={approval.reversible === false ? 'danger' : 'main'}
            disabled={isBusy}
            onClick={() => onDecide('approve')}
            shortcut="a"
          >
            {requestTexts.verdict.approve}
          </Button>
          <Button disabled={isBusy} onClick={() => onDecide('reject')} shortcut={asked === 'reject' ? '↵' : 'r'}>
            {requestTexts.verdict.reject}
          </Button>
          {onEdit !== null && (
            <Button tone="bare" disabled={isBusy} onClick={onEdit}>
              {requestTexts.edit.open}
            </Button>
          )}
        </div>
      )}
    </div>
  );
};
