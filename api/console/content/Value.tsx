/** One value of an app by its type, and labelled values. Used by blocks, tables and timelines. */
import { whenTime } from '../ui/time.ts';
import { legible } from './legible.ts';
import { moneyText } from './money.ts';
import { contentTexts } from './texts.ts';
import { plain } from './values.ts';
import { WebLink } from './WebLink.tsx';

interface ValueProps {
  readonly value: unknown;
  readonly type: unknown;
  /** Of an amount of money, where what has it names one. */
  readonly currency?: unknown;
}

export const Value = ({ value, type, currency }: ValueProps) => {
  if (type === 'time' && typeof value === 'number') return <>{whenTime(value)}</>;
  const money = type === 'money' ? moneyText(value, currency) : null;
  if (money !== null) return <>{money}</>;
  if (type === 'boolean' && typeof value === 'boolean') return <>{value ? contentTexts.yes : contentTexts.no}</>;
  if (type === 'link' && typeof value === 'string') return <WebLink url={value}>{value}</WebLink>;
  return <span dir="auto">{legible(plain(value))}</span>;
};

export const Fields = ({ fields }: { readonly fields: readonly Readonly<Record<string, unknown>>[] }) => (
  <dl className="fields">
    {fields.map(({ label, value, type, currency }, at) => (
      <div key={at}>
        <dt>{plain(label)}</dt>
        <dd>
          <Value value={value} type={type} currency={currency} />
        </dd>
      </div>
    ))}
  </dl>
);
