/** A text of the app or of colleagues with its Markdown rendered; plain until the Markdown script has loaded. Used by blocks, timelines and the composer. */
import { loadedLater } from '../ui/lazy.tsx';
import { PlainText } from './Written.tsx';

interface MarkdownProps {
  readonly text: string;
}

/** Whether there may be Markdown in a text: most messages have none. */
const mayHaveMarks = (text: string): boolean =>
  /[*_`~[\]#>|@\\&]|^[ \t]*(?:[-+=]|\d+[.)])|^ {4}|:\/\/|www\./mu.test(text);

const MarkdownText = loadedLater<MarkdownProps>(async () => (await import('./MarkdownText.tsx')).MarkdownText, {
  Meanwhile: PlainText,
  isOptional: true,
});

export const Markdown = ({ text }: MarkdownProps) =>
  mayHaveMarks(text) ? <MarkdownText text={text} /> : <PlainText text={text} />;
