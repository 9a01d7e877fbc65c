/** The comments on a request that waits, and the form that adds one. Used by Decision. */
import { type FormEvent, useState } from 'react';
import { legible } from '../content/values.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { useDraft } from '../ui/draft.ts';
import { excessOf, ProblemText, reasonMost, TooLong } from '../ui/fields.tsx';
import { Ago } from '../ui/marks.tsx';
import { Section } from '../ui/PageParts.tsx';
import { messageOf } from '../wire/apiError.ts';
import { keys } from '../wire/queries.ts';
import type { Approval } from '../wire/types.ts';
import { requestTexts } from './texts.tsx';

const texts = requestTexts.comments;

/** Sends what is typed; an unsent comment is kept. */
const CommentForm = ({ approval: { id } }: { readonly approval: Approval }) => {
  const { http, queries } = useSession();
  const [text, setText] = useDraft(`${http.environment}.comment.${id}`);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const said = text.trim();
    if (isBusy || said === '' || excessOf(said, reasonMost) > 0) return;
    setBusy(true);
    setProblem(null);
    try {
      await http.call('POST', `/approvals/${id}/comments`, { body: { text: said } });
      setText('');
    } catch (error) {
      setProblem(messageOf(error));
    }
    setBusy(false);
    void queries.invalidateQueries({ queryKey: keys.approval(id) });
  };
  return (
    <form className="comment-form" onSubmit={(event) => void send(event)}>
      <input
        aria-label={texts.field}
        value={text}
        placeholder={texts.field}
        readOnly={isBusy}
        autoComplete="off"
        onChange={({ target }) => setText(target.value)}
      />
      <Button type="submit" disabled={isBusy || text.trim() === ''}>
        {texts.send}
      </Button>
      <TooLong what={texts.theComment} text={text.trim()} most={reasonMost} />
      <ProblemText text={problem} />
    </form>
  );
};

export const Comments = ({ approval }: { readonly approval: Approval }) => {
  const { comments, status } = approval;
  const isPending = status === 'pending';
  if (comments.length === 0 && !isPending) return null;
  return (
    <Section title={texts.title}>
      {comments.map(({ id, at, by, text }) => (
        <p key={id} className="comment">
          <strong dir="auto">{by.name}</strong>{' '}
          <span className="soft">
            {by.type === 'person' ? '' : `(${by.type}) `}
            <Ago at={at} />
          </span>
          <br />
          <span dir="auto">{legible(text)}</span>
        </p>
      ))}
      {isPending && <CommentForm approval={approval} />}
    </Section>
  );
};
