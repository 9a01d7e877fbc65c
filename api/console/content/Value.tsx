/** One value of an app by its type, and labelled values. Used by blocks, tables and timelines. */
import { count, whenTime } from '../ui/time.ts';
import { legible } from './legible.ts';
import { contentTexts } from './texts.ts';
import { plain } from './values.ts';
import { WebLink } from './WebLink.tsx';

export const Value = ({ value, type }: { readonly value: unknown; readonly type: unknown }) => {
  if (type === 'time' && typeof value === 'number') return <>{whenTime(value)}</>;
  if (type === 'money' && typeof value === 'number') return <>{count(value)}</>;
  if (type === 'boolean' && typeof value === 'boolean') return <>{value ? contentTexts.yes : contentTexts.no}</>;
  if (type === 'link' && typeof value === 'string') return <WebLink url={value}>{value}</WebLink>;
  return <span dir="auto">{legible(plain(value))}</span>;
};

export const Fields = ({ fields }: { readonly fields: readonly Readonly<Record<string, unknown>>[] }) => (
  <dl className="fields">
    {fields.map(({ label, value, type }, at) => (
      <div key={at}>
        <dt>{plain(label)}</dt>
        <dd>
          <Value value={value} type={type} />
        </dd>
      </div>
    ))}
  </dl>
);
