/** A text with its Markdown rendered; plain until the Markdown script has loaded. Used by blocks, timelines and the composer. */
import { loadedLater } from '../ui/lazy.tsx';

interface MarkdownProps {
  readonly text: string;
}

/** Longer texts stay plain: reading their Markdown could hold up the page. */
const lengthMax = 20_000;

/** Whether there may be Markdown in a text: most messages have none. */
const mayHaveMarks = (text: string): boolean =>
  text.length <= lengthMax && /[*_`~[\]#>|@\\]|^\s*(?:[-+=]|\d+[.)])|:\/\/|www\./mu.test(text);

const Plain = ({ text }: MarkdownProps) => (
  <p className="prose" dir="auto">
    {text}
  </p>
);

const MarkdownText = loadedLater<MarkdownProps>(async () => (await import('./MarkdownText.tsx')).MarkdownText, {
  Meanwhile: Plain,
  isOptional: true,
});

export const Markdown = ({ text }: MarkdownProps) =>
  mayHaveMarks(text) ? <MarkdownText text={text} /> : <Plain text={text} />;
