/** A question of an agent on one screen: what it asks and why, what people say about it, and the answers to choose from. Used by ApprovalsPage. */
import { useRef, useState } from 'react';
import { legible } from '../content/values.ts';
import { useKeys } from '../shell/keyboard.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { ProblemText } from '../ui/fields.tsx';
import { Back, Section } from '../ui/PageParts.tsx';
import { messageOf } from '../wire/apiError.ts';
import { keys } from '../wire/queries.ts';
import type { Approval } from '../wire/types.ts';
import { Comments } from './Comments.tsx';
import { About, Asked } from './Decision.tsx';
import { RecentEntries } from './RecentEntries.tsx';
import { RequestEnd } from './RequestRow.tsx';
import { requestTexts } from './texts.tsx';

const texts = requestTexts.question;

/** Options that have a key. */
const keyedMost = 9;

interface AnswersProps {
  readonly approval: Approval;
  readonly options: readonly string[];
}

/** The answers to choose from. A digit moves to one, so that nothing is answered by a key that is pressed by habit. */
const Answers = ({ approval: { id }, options }: AnswersProps) => {
  const { http, queries, notices } = useSession();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const digits = options.slice(0, keyedMost).map((_, i) => String(i + 1));
  useKeys(
    Object.fromEntries(
      digits.map((digit) => [digit, () => list.current?.querySelectorAll('button')[Number(digit) - 1]?.focus()]),
    ),
  );
  const answer = async (chosen: string): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    try {
      await http.call('POST', `/approvals/${id}/answer`, { body: { answer: chosen } });
      notices.done(texts.done(chosen));
    } catch (error) {
      setProblem(messageOf(error));
    }
    setBusy(false);
    void queries.invalidateQueries({ queryKey: keys.approvals });
    void queries.invalidateQueries({ queryKey: keys.approval(id) });
  };
  return (
    <div className="verdict-form">
      <div ref={list} className="verdict-buttons" role="group" aria-label={texts.answers}>
        {options.map((option, i) => (
          <Button
            key={option}
            disabled={isBusy}
            onClick={() => void answer(option)}
            {...(digits[i] === undefined ? {} : { shortcut: digits[i] })}
          >
            <span dir="auto">{legible(option)}</span>
          </Button>
        ))}
      </div>
      <ProblemText text={problem} />
    </div>
  );
};

interface QuestionProps {
  readonly approval: Approval;
  readonly onBack: () => void;
}

export const Question = ({ approval, onBack }: QuestionProps) => {
  const { question, answer, requestedBy, reason, status } = approval;
  if (question === null) return null;
  const { text, options, fallback } = question;
  const isPending = status === 'pending';
  return (
    <article className="decision">
      <Back onClick={onBack}>{requestTexts.queue.back}</Back>
      <h1 dir="auto">{legible(text)}</h1>
      <About approval={approval} />
      <p className="soft">
        <Asked approval={approval} />
        {isPending && fallback !== null && ` · ${texts.fallback(fallback)}`}
      </p>
      {!isPending && (
        <div className="verdict" role="status">
          {answer !== null && (
            <p>
              <strong dir="auto">{legible(answer)}</strong>
            </p>
          )}
          <p className="soft">
            <RequestEnd approval={approval} />
          </p>
        </div>
      )}
      {reason !== null && (
        <Section title={requestTexts.theirReason(requestedBy.name)}>
          <blockquote dir="auto" tabIndex={0}>
            {legible(reason)}
          </blockquote>
        </Section>
      )}
      <RecentEntries approval={approval} />
      <Comments approval={approval} />
      {isPending && <Answers approval={approval} options={options} />}
    </article>
  );
};
