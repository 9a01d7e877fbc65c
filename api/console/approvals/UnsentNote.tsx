/** A note that somebody typed for a request that ended meanwhile, until they forget it. Used by Decision. */
import { legible } from '../content/legible.ts';
import { copyTexts } from '../shell/copyTexts.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { verdictTexts } from './verdictTexts.tsx';

interface UnsentNoteProps {
  readonly note: string;
  readonly onForget: () => void;
}

export const UnsentNote = ({ note, onForget }: UnsentNoteProps) => {
  const { notices } = useSession();
  const copy = (): void => {
    navigator.clipboard.writeText(note).then(
      () => notices.show({ tone: 'done', text: verdictTexts.noteCopied }),
      () => notices.show({ tone: 'failed', text: copyTexts.refused }),
    );
  };
  return (
    <section className="verdict" role="alert">
      <p>{verdictTexts.notSent}</p>
      <blockquote dir="auto" tabIndex={0}>
        {legible(note)}
      </blockquote>
      <div className="verdict-buttons">
        <Button onClick={copy}>{verdictTexts.copyNote}</Button>
        <Button onClick={onForget}>{verdictTexts.forgetNote}</Button>
      </div>
    </section>
  );
};
