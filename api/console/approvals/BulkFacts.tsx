/** What a request for a bulk is about: its first items or records, and why some of them would not change. Used by Decision. */
import { Problems } from '../bulks/BulkLine.tsx';
import { ItemLink, RecordLink } from '../content/links.tsx';
import { legible } from '../content/values.ts';
import { Row, Rows } from '../ui/Rows.tsx';
import type { Approval, BulkDryRun } from '../wire/types.ts';
import { RecordAmounts } from './Sums.tsx';
import { requestTexts } from './texts.tsx';

interface BulkRecord {
  readonly resource: string;
  readonly id: string;
  readonly title: string | null;
  /** Its amounts and their currencies; absent: it has none, or was not found. */
  readonly fields?: object;
}

interface BulkTarget {
  readonly items?: readonly { readonly id: string; readonly title: string; readonly record: BulkRecord | null }[];
  /** Of a bulk that names records. */
  readonly refs?: readonly BulkRecord[] | null;
  readonly more?: number;
}

const { bulk } = requestTexts;

/** Returns the records that the target of a bulk names. */
export const recordsIn = ({ items = [], refs }: BulkTarget): readonly BulkRecord[] =>
  refs ?? items.flatMap(({ record }) => record ?? []);

const RecordRow = ({ resource, id, title, fields }: BulkRecord) => (
  <>
    <RecordLink resource={resource} id={id} title={legible(title ?? id)} />
    <RecordAmounts resource={resource} fields={fields} />
  </>
);

const Targets = ({ items = [], refs, more = 0 }: BulkTarget) => {
  if (items.length + (refs?.length ?? 0) === 0) return null;
  return (
    <section>
      <h2>{refs == null ? bulk.items : bulk.records}</h2>
      <Rows total={(refs ?? items).length + more}>
        {refs?.map((ref) => (
          <Row key={ref.id}>
            <RecordRow {...ref} />
          </Row>
        ))}
        {items.map(({ id, title, record }) => (
          <Row key={id}>
            <ItemLink id={id} title={title} />
            {record !== null && (
              <span className="soft">
                {' · '}
                <RecordRow {...record} />
              </span>
            )}
          </Row>
        ))}
        {more > 0 && <li className="soft">{bulk.more(more)}</li>}
      </Rows>
    </section>
  );
};

export const BulkFacts = ({ approval: { kind, now, after } }: { readonly approval: Approval }) => {
  if (kind !== 'bulk') return null;
  const target: BulkTarget = now ?? {};
  // A bulk of more than 10,000 items has no counts.
  const { matched, ...rest }: Partial<BulkDryRun> = after ?? {};
  const { wouldChange = 0, unchanged = 0, forbidden = 0, failed = 0, problems = [] } = rest;
  return (
    <>
      {matched !== undefined && <p>{bulk.effect({ matched, wouldChange, unchanged, forbidden, failed })}</p>}
      <Targets {...target} />
      {problems.length > 0 && (
        <section>
          <h2>{bulk.problems}</h2>
          <Problems problems={problems} />
        </section>
      )}
    </>
  );
};
