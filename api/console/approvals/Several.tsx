/** Foot of the queue: the requests that are selected, and the dialog that decides them together. Used by ApprovalsPage. */
import { useState, type FormEvent } from 'react';
import { useFreshSignIn } from '../shell/freshSignIn.tsx';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { excessOf, TextInput, TooLong } from '../ui/fields.tsx';
import { useFoot } from '../ui/foot.ts';
import { FormDialog } from '../ui/FormDialog.tsx';
import { messageOf } from '../wire/apiError.ts';
import { keys } from '../wire/queries.ts';
import type { Approval, DecisionResult } from '../wire/types.ts';
import { useIsGrave } from './gravity.ts';
import { requestTexts } from './texts.tsx';
import type { Verb } from './useDecide.ts';
import { Sums } from './words.tsx';

const texts = requestTexts.several;

/** Characters of a note, and decisions of a call, as the API takes them. */
const [noteMost, callMost] = [500, 100];

interface OneProps {
  readonly approval: Approval;
  readonly verb: Verb;
  /** Why it was not decided; undefined: it is still to be. */
  readonly error: string | null | undefined;
}

const One = ({ approval, verb, error }: OneProps) => {
  const isGrave = useIsGrave(approval);
  const { reversible, sentence } = approval;
  return (
    <li>
      <span dir="auto">{sentence}</span>
      {verb === 'approve' && isGrave && error === undefined && (
        <strong className="problem">{reversible === false ? texts.final : texts.grave}</strong>
      )}
      {error === undefined ? <Sums approval={approval} /> : <span className="problem">{error}</span>}
    </li>
  );
};

interface SeveralProps {
  readonly selected: readonly Approval[];
  readonly onClear: () => void;
}

interface Asked {
  readonly verb: Verb;
  /** As they were on screen when the dialog opened. */
  readonly requests: readonly Approval[];
}

interface DecideDialogProps extends Asked {
  readonly onDecided: () => void;
  readonly onClose: () => void;
}

/** Decides the requests, as they were on screen; says afterwards which were not decided, and why. */
const DecideDialog = ({ verb, requests, onDecided, onClose }: DecideDialogProps) => {
  const { http, queries, notices } = useSession();
  const { run, dialog } = useFreshSignIn();
  const [note, setNote] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  /** The results of those that were not decided; null: nothing has been sent. */
  const [left, setLeft] = useState<readonly DecisionResult[] | null>(null);
  const send = async (): Promise<readonly DecisionResult[]> => {
    const results: DecisionResult[] = [];
    for (let at = 0; at < requests.length; at += callMost) {
      const decisions = requests.slice(at, at + callMost).map(({ id, digest }) => ({ id, digest }));
      const body = { decisions, verdict: verb, ...(note.trim() === '' ? {} : { note: note.trim() }) };
      const answer = await run(() =>
        http.call<{ readonly results: readonly DecisionResult[] }>('POST', '/approvals/decide', { body }),
      );
      results.push(...answer.body.results);
    }
    return results;
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (left !== null) {
      onClose();
      return;
    }
    if (isBusy || excessOf(note.trim(), noteMost) > 0) return;
    setBusy(true);
    setProblem(null);
    try {
      const results = await send();
      const others = results.filter(({ error }) => error !== null);
      const decided = results.length - others.length;
      onDecided();
      if (decided > 0) notices.done(texts.done[verb](decided));
      if (others.length === 0) onClose();
      else setLeft(others);
    } catch (error) {
      setProblem(messageOf(error));
    }
    setBusy(false);
    void queries.invalidateQueries({ queryKey: keys.approvals });
  };
  const shown = left === null ? requests : requests.filter(({ id }) => left.some((result) => result.id === id));
  const isFinal = verb === 'approve' && requests.some(({ reversible }) => reversible === false);
  return (
    <>
      <FormDialog
        title={left === null ? texts.title[verb](requests.length) : texts.left(left.length)}
        about={left === null ? texts.about : texts.leftAbout}
        deed={left === null ? texts.title[verb](requests.length) : texts.close}
        tone={isFinal && left === null ? 'danger' : 'main'}
        isOff={isBusy}
        isOver={left !== null}
        problem={problem}
        onSubmit={(event) => void submit(event)}
        onClose={onClose}
      >
        <ul className="several" tabIndex={0} aria-label={texts.label}>
          {shown.map((approval) => (
            <One
              key={approval.id}
              approval={approval}
              verb={verb}
              error={left?.find(({ id }) => id === approval.id)?.error}
            />
          ))}
        </ul>
        {left === null && (
          <>
            <TextInput
              label={texts.note}
              isOptional
              autoFocus
              value={note}
              onValue={setNote}
              // The Enter key does not approve an action that can't be undone.
              onKeyDown={(event) => isFinal && event.key === 'Enter' && event.preventDefault()}
            />
            <TooLong what={texts.theNote} text={note.trim()} most={noteMost} />
          </>
        )}
      </FormDialog>
      {dialog}
    </>
  );
};

export const Several = ({ selected, onClear }: SeveralProps) => {
  const place = useFoot('--selection');
  const [asked, setAsked] = useState<Asked | null>(null);
  if (selected.length === 0 && asked === null) return null;
  const verbs = ['approve', 'reject'] as const;
  return (
    <section ref={place} className="selection" aria-label={texts.label}>
      <div className="selection-deeds">
        <span role="status">{texts.selected(selected.length)}</span>
        {verbs.map((verb) => (
          <Button
            key={verb}
            tone={verb === 'approve' ? 'main' : 'plain'}
            disabled={selected.length === 0}
            onClick={() => setAsked({ verb, requests: selected })}
          >
            {texts.deeds[verb]}
          </Button>
        ))}
        <Button tone="bare" className="first-line" onClick={onClear}>
          {texts.clear}
        </Button>
      </div>
      {asked !== null && <DecideDialog {...asked} onDecided={onClear} onClose={() => setAsked(null)} />}
    </section>
  );
};
