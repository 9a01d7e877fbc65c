/** Records of all resources: one search over all of them, and the resources to browse. */
import { Link } from '@tanstack/react-router';
import { useRef, type ReactNode } from 'react';
import { RecordLink } from '../content/links.tsx';
import { useKeys } from '../shell/keyboard.ts';
import { useSession, useRead } from '../shell/session.ts';
import { shellTexts } from '../shell/texts.tsx';
import { Hint } from '../ui/fields.tsx';
import { Aside } from '../ui/marks.tsx';
import { Empty, Unread } from '../ui/Problem.tsx';
import { Row, Rows } from '../ui/Rows.tsx';
import { SearchInput, useTypedSearch } from '../ui/SearchInput.tsx';
import { resourcesQuery } from '../wire/actionQueries.ts';
import { searchRecordsQuery } from '../wire/appQueries.ts';
import type { Resource } from '../wire/types.ts';
import { recordsTexts } from './texts.tsx';

interface RecordsPageProps {
  readonly q: string;
  readonly onSearch: (q: string) => void;
}

const Found = ({ q, resources }: { readonly q: string; readonly resources: readonly Resource[] }) => {
  const read = useRead((http) => searchRecordsQuery(http, q));
  const { data } = read;
  const labelOf = (name: string): string => resources.find((each) => each.name === name)?.label ?? name;
  if (data === undefined) return <Unread of={read} rows={4} />;
  return (
    <>
      {data.incomplete.length > 0 && <Hint>{recordsTexts.notSearched(data.incomplete.map(labelOf))}</Hint>}
      {data.results.length === 0 && <Empty title={recordsTexts.nothingFound}>{recordsTexts.nothingFoundAbout}</Empty>}
      <Rows className="found">
        {data.results.map(({ record, matched }) => (
          <Row key={`${record.resource}/${record.id}`}>
            <span>
              <RecordLink resource={record.resource} id={record.id} title={record.title} />{' '}
              {record.subtitle !== null && <Aside>{record.subtitle}</Aside>}
            </span>
            <Aside>
              {labelOf(record.resource)}
              {matched !== record.title && ` · ${matched}`}
            </Aside>
          </Row>
        ))}
      </Rows>
    </>
  );
};

export const RecordsPage = ({ q, onSearch }: RecordsPageProps) => {
  const { environment } = useSession();
  const read = useRead(resourcesQuery);
  const { data: resources } = read;
  const [words, setWords] = useTypedSearch(q, onSearch);
  const input = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => input.current?.focus() }, 'list');
  let content: ReactNode;
  if (resources === undefined) content = <Unread of={read} rows={4} />;
  else if (resources.length === 0) content = <Empty title={recordsTexts.none}>{recordsTexts.noResources}</Empty>;
  else if (q !== '') content = <Found q={q} resources={resources} />;
  else
    content = (
      <Rows className="found">
        {resources.map(({ name, label, description, source }) => (
          <Row key={name}>
            <Link to="/env/$environment/records/$resource" params={{ environment, resource: name }} dir="auto">
              {label}
            </Link>
            <Aside>{description ?? (source === 'app' ? recordsTexts.readEachTime : '')}</Aside>
          </Row>
        ))}
      </Rows>
    );
  return (
    <div className="column records">
      <header className="column-head">
        <h1>{shellTexts.places.records}</h1>
      </header>
      <SearchInput
        ref={input}
        words={words}
        onWords={setWords}
        label={recordsTexts.searchAll}
        placeholder={recordsTexts.searchAll}
        autoFocus
      />
      {content}
    </div>
  );
};
