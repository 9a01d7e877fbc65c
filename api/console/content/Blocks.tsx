/** Blocks that the customer’s app shows with an item, a record or a result, and texts with their Markdown, never rendered as HTML. Used by the pages. */
import type { ReactNode } from 'react';
import { Button } from '../ui/Button.tsx';
import { loadedLater } from '../ui/lazy.tsx';
import { count } from '../ui/plural.ts';
import type { ActionReference, Block } from '../wire/types.ts';
import { RecordLink, InboxItemLink } from './links.tsx';
import { Fields } from './Value.tsx';
import { amountText, isCurrency, isObject, objects, plain } from './values.ts';
import { PlainText, WebLink } from './Written.tsx';

interface MarkdownProps {
  readonly text: string;
}

/** Whether there may be Markdown in a text: most messages have none. */
const mayHaveMarks = (text: string): boolean =>
  /[*_`~[\]#>|@\\&]|^[ \t]*(?:[-+=]|\d+[.)])|^ {4}|:\/\/|www\./mu.test(text);

const MarkdownText = loadedLater(async () => (await import('./MarkdownText.tsx')).MarkdownText, {
  Meanwhile: PlainText,
  isOptional: true,
});

/** A text of the app or of colleagues with its Markdown rendered; plain until the Markdown script has loaded. */
export const Markdown = ({ text }: MarkdownProps) =>
  mayHaveMarks(text) ? <MarkdownText text={text} /> : <PlainText text={text} />;

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Returns a value with its unit, which may be a currency. */
const inUnit = (value: unknown, unit: unknown): string => {
  if (typeof value === 'number' && isCurrency(unit)) return amountText(value, unit);
  const shown = typeof value === 'number' ? count(value) : plain(value);
  return typeof unit === 'string' ? `${shown} ${unit}` : shown;
};

const ItemLinks = ({ items }: { readonly items: readonly Readonly<Record<string, unknown>>[] }) => {
  return (
    <ul className="links">
      {items.map((item) => (
        <li key={plain(item['id'])}>
          <InboxItemLink inbox={plain(item['inbox'])} id={plain(item['id'])} title={plain(item['title'])} />{' '}
          <span className="soft">{plain(item['state'])}</span>
        </li>
      ))}
    </ul>
  );
};

type OnAction = (reference: ActionReference) => void;

const Actions = ({ actions, onAction }: { readonly actions: unknown; readonly onAction: OnAction | undefined }) =>
  onAction === undefined ? null : (
    <div className="deeds">
      {objects(actions).map(({ action, label, record, input }, at) => (
        <Button
          key={at}
          onClick={() =>
            onAction({
              action: plain(action),
              label: plain(label),
              record: text(record),
              input: isObject(input) ? input : {},
            })
          }
        >
          {plain(label)}
        </Button>
      ))}
    </div>
  );

/** Block types that only pages and results have. */
const Table = loadedLater(async () => (await import('./Table.tsx')).TableBlock);
const Chart = loadedLater(async () => (await import('./Chart.tsx')).Chart);

const content: Readonly<Record<string, (block: Block, onAction: OnAction | undefined) => ReactNode>> = {
  text: ({ text: shown, plain: isPlain }) =>
    isPlain === true ? <PlainText text={plain(shown)} /> : <Markdown text={plain(shown)} />,
  fields: ({ fields }) => <Fields fields={objects(fields)} />,
  stat: ({ value, unit, change }) => (
    <p className="stat">
      {inUnit(value, unit)}
      {typeof change === 'number' && <span className="soft"> {change > 0 ? `+${count(change)}` : count(change)}</span>}
    </p>
  ),
  table: (block) => <Table block={block} />,
  chart: (block) => <Chart block={block} />,
  items: ({ items }) => <ItemLinks items={objects(items)} />,
  record: ({ record }) =>
    isObject(record) ? (
      <p>
        <RecordLink resource={plain(record['resource'])} id={plain(record['id'])} title={plain(record['title'])} />
      </p>
    ) : null,
  actions: ({ actions }, onAction) => <Actions actions={actions} onAction={onAction} />,
  link: ({ url, label }) =>
    typeof url === 'string' ? (
      <p>
        <WebLink url={url} words={plain(label)} />
      </p>
    ) : null,
  error: ({ error, code }) => (
    <p className="problem">
      {plain(error)} <span className="code">{plain(code)}</span>
    </p>
  ),
};

interface BlocksProps {
  readonly blocks: readonly Block[];
  /** Opens an action that a block proposes; absent: they are left out. */
  readonly onAction?: OnAction;
}

export const Blocks = ({ blocks, onAction }: BlocksProps) => (
  <>
    {blocks.map((block, at) => {
      const show = Object.hasOwn(content, block.type) ? content[block.type] : undefined;
      if (show === undefined) return null;
      return (
        <section className={`block ${block.type}`} key={at}>
          {typeof block.title === 'string' && <h2>{block.title}</h2>}
          {show(block, onAction)}
        </section>
      );
    })}
  </>
);
