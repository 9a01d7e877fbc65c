/** What a request gives, the record that it is for, and what it changes, in the words of the other pages. Used by Decision. */
import { Problems } from '../bulks/BulkLine.tsx';
import { differences, rampMember } from '../content/difference.ts';
import { RecordLink, ItemLink } from '../content/links.tsx';
import { isObject, legible } from '../content/values.ts';
import { WithLinks } from '../content/Written.tsx';
import { Section } from '../ui/PageParts.tsx';
import { Row, Rows } from '../ui/Rows.tsx';
import type { Approval, BulkDryRun } from '../wire/types.ts';
import { requestTexts } from './texts.tsx';
import { figuresText, RecordAmounts, useWords, type Fact } from './words.tsx';

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
const recordsIn = ({ items = [], refs }: BulkTarget): readonly BulkRecord[] =>
  refs ?? items.flatMap(({ record }) => record ?? []);

const RecordRow = ({ resource, id, title, fields }: BulkRecord) => (
  <>
    <RecordLink resource={resource} id={id} title={legible(title ?? id)} />
    <RecordAmounts resource={resource} fields={fields} />
  </>
);

const BulkTargets = ({ items = [], refs, more = 0 }: BulkTarget) => {
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

/** What a request for a bulk is about: its first items or records, and why some of them would not change. */
export const BulkFacts = ({ approval: { kind, now, after } }: { readonly approval: Approval }) => {
  if (kind !== 'bulk') return null;
  const target: BulkTarget = now ?? {};
  // A bulk of more than 10,000 items has no counts.
  const { matched, ...rest }: Partial<BulkDryRun> = after ?? {};
  const { wouldChange = 0, unchanged = 0, forbidden = 0, failed = 0, problems = [] } = rest;
  return (
    <>
      {matched !== undefined && <p>{bulk.effect({ matched, wouldChange, unchanged, forbidden, failed })}</p>}
      <BulkTargets {...target} />
      {problems.length > 0 && (
        <section>
          <h2>{bulk.problems}</h2>
          <Problems problems={problems} />
        </section>
      )}
    </>
  );
};

const { difference } = requestTexts;

interface PartProps {
  readonly approval: Approval;
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});

/** Returns a target with what will be other: the API names the members that change. */
const withChanges = (now: unknown, after: unknown): unknown => {
  const [is, will] = [membersOf(now), membersOf(after)];
  return { ...is, ...will, fields: { ...membersOf(is['fields']), ...membersOf(will['fields']) } };
};

/** Returns the member of the target that is told as a whole. */
const wholeOf = ({ flag }: Approval): string | null => (flag === null ? null : rampMember);

interface DiffTableProps {
  readonly headings: readonly string[];
  /** A member of the target in each: its name, its label, and its values with how each is marked. */
  readonly rows: readonly {
    readonly name: string;
    readonly label: string;
    readonly values: readonly (readonly [text: string, mark: string])[];
  }[];
}

const DiffTable = ({ headings, rows }: DiffTableProps) => (
  <table>
    <thead>
      <tr>
        <td />
        {headings.map((heading) => (
          <th key={heading}>{heading}</th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map(({ name, label, values }) => (
        <tr key={name}>
          <th scope="row" title={name}>
            {label}
          </th>
          {values.map(([text, mark], at) => (
            <td key={at} className={mark} dir="auto">
              {text}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

export const Changes = ({ approval }: PartProps) => {
  const { kind, status, before, now, after } = approval;
  const { labelOf, textOf } = useWords(approval);
  const rows = differences(before, now, after, wholeOf(approval));
  // What a bulk would do is told by BulkFacts.
  if (kind === 'bulk' || rows.length === 0) return null;
  // What a request did is told by its outcome.
  const hasAfter = status === 'pending' || rows.some((row) => row.after !== undefined);
  const afterOf = (name: string, will: unknown): string =>
    will === undefined ? difference.unknown : textOf(name, will, withChanges(now, after));
  return (
    <section className="diff" aria-label={difference.title}>
      <DiffTable
        headings={[difference.before, difference.now, ...(hasAfter ? [difference.after] : [])]}
        rows={rows.map(({ name, before: was, now: is, after: will, moved, changes }) => ({
          name,
          label: labelOf(name),
          values: [
            [textOf(name, was, before), moved ? 'moved' : ''],
            [textOf(name, is, now), changes ? 'removed' : ''],
            ...(hasAfter ? [[afterOf(name, will), changes ? 'added' : ''] as const] : []),
          ],
        }))}
      />
    </section>
  );
};

/** The facts that changed after the person read the request, so that the approval failed. */
export const ChangedSinceSeen = ({ approval, seen }: PartProps & { readonly seen: Approval }) => {
  const { labelOf, textOf, fieldsOf } = useWords(approval);
  const isBulk = approval.kind === 'bulk';
  /** Of a bulk its records by their titles, each with its amounts. */
  const factsOf = ({ now }: Approval): unknown =>
    isBulk
      ? Object.fromEntries(
          recordsIn(now ?? {}).map(({ id, title, fields }) => [
            title ?? id,
            figuresText(fieldsOf({ ...fields }).map(({ label, text }) => requestTexts.figure(label, text))),
          ]),
        )
      : now;
  const rows = differences(factsOf(seen), factsOf(approval), null);
  if (rows.length === 0) return null;
  return (
    <Section className="diff" title={requestTexts.sinceSeen.title}>
      <DiffTable
        headings={[requestTexts.sinceSeen.before, difference.now]}
        rows={rows.map(({ name, before: was, now: is }) => ({
          name,
          label: isBulk ? legible(name) : labelOf(name),
          values: [
            [textOf(name, was, seen.now), 'removed'],
            [textOf(name, is, approval.now), 'added'],
          ],
        }))}
      />
    </Section>
  );
};

const Facts = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <dl className="fields">
    {facts.map(({ name, label, text }) => (
      <div key={name}>
        <dt dir="auto" title={name}>
          {label}
        </dt>
        <dd dir="auto">
          <WithLinks text={text} />
        </dd>
      </div>
    ))}
  </dl>
);

/** Members of an operation that the sentence says in words. */
const unsaid: ReadonlySet<string> = new Set(['type', 'undo', 'action', 'records', 'bulk']);

/** The members of the request that the comparison does not show. */
export const Given = ({ approval }: PartProps) => {
  const { before, now, after, input, operation, change } = approval;
  const { inputOf } = useWords(approval);
  const told = new Set(
    differences(before, now, after, wholeOf(approval)).flatMap((row) => (row.after === undefined ? [] : [row.name])),
  );
  const { input: inputOfBulk }: { readonly input?: unknown } = operation ?? {};
  const isInput = input !== null || isObject(inputOfBulk);
  const given = isObject(inputOfBulk) ? inputOfBulk : (input ?? operation ?? change ?? {});
  const facts = inputOf({ ...given }).filter(({ name }) => !unsaid.has(name) && !told.has(name));
  if (facts.length === 0) return null;
  return (
    <section>
      <h2>{isInput ? requestTexts.input : requestTexts.change}</h2>
      <Facts facts={facts} />
    </section>
  );
};

/** Values of the record that are shown before its page is. */
const factsMost = 12;

/** The record that an action is for, as it is now: without it nobody can say whether the request is right. One that can’t be read now has the title that it had. */
export const Target = ({ approval }: PartProps) => {
  const { before, now, resource, record } = approval;
  const { fieldsOf, resourceLabel } = useWords(approval);
  const known: unknown = now ?? before;
  if (resource === null || record === null || !isObject(known)) return null;
  const { title } = known;
  const fields = now === null ? null : known['fields'];
  return (
    <section>
      <h2>
        <RecordLink
          resource={resource}
          id={record}
          title={legible(typeof title === 'string' && title !== '' ? title : record)}
        />{' '}
        <span className="soft mono">{legible(record)}</span>{' '}
        <span className="soft">{now === null ? resourceLabel : requestTexts.now(resourceLabel)}</span>
      </h2>
      {isObject(fields) && <Facts facts={fieldsOf(fields).slice(0, factsMost)} />}
    </section>
  );
};
