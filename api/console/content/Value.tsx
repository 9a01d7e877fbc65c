/** One value of an app by its type, and labelled values. Used by blocks, tables and timelines. */
import { plainTexts } from '../ui/plainTexts.ts';
import { dayText, whenTime } from '../ui/time.ts';
import { legible, moneyText, plain } from './values.ts';
import { WebLink, WithLinks } from './Written.tsx';

interface ValueProps {
  readonly value: unknown;
  readonly type: unknown;
  /** Of an amount of money, where what has it names one. */
  readonly currency?: unknown;
}

export const Value = ({ value, type, currency }: ValueProps) => {
  if (type === 'time' && typeof value === 'number') return <>{whenTime(value)}</>;
  const known = type === 'money' ? moneyText(value, currency) : type === 'date' ? dayText(value) : null;
  if (known !== null) return <>{known}</>;
  if (type === 'boolean' && typeof value === 'boolean')
    return <>{value ? plainTexts.values.yes : plainTexts.values.no}</>;
  if (type === 'link' && typeof value === 'string') return <WebLink url={value} words={value} />;
  return (
    <span className="as-written" dir="auto">
      <WithLinks text={plain(value)} show={legible} />
    </span>
  );
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
