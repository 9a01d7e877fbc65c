/** The records of a resource that have the words which stand in a field for an id, to pick one. Used by forms of actions and of erasures. */
import { keepPreviousData } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useRead } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Hint } from '../ui/fields.tsx';
import { Aside } from '../ui/marks.tsx';
import { Row, Rows } from '../ui/Rows.tsx';
import { useTypedSearch } from '../ui/SearchInput.tsx';
import { searchRecordsQuery } from '../wire/appQueries.ts';
import type { AppRecord } from '../wire/types.ts';
import { contentTexts } from './texts.tsx';

const texts = contentTexts.choices;

/** Shorter words find too much, and so many records are offered. */
const [wordsLeast, offeredMost] = [2, 6];

interface RecordChoicesProps {
  readonly resource: string;
  /** What stands in the field: an id, or words of the record. */
  readonly id: string;
  readonly onId: (id: string) => void;
}

export const RecordChoices = ({ resource, id, onId }: RecordChoicesProps) => {
  const [begun] = useState(id);
  const [searched, setSearched] = useState('');
  const [, setWords] = useTypedSearch(searched, setSearched);
  useEffect(() => setWords(id === begun ? '' : id), [id, begun, setWords]);
  const [picked, setPicked] = useState<AppRecord | null>(null);
  const isSearch = searched.length >= wordsLeast;
  const { data } = useRead((http) => ({
    ...searchRecordsQuery(http, searched),
    enabled: isSearch,
    placeholderData: keepPreviousData,
    retry: false,
  }));
  const isPicked = picked !== null && picked.resource === resource && picked.id === id.trim();
  const found = !isSearch || isPicked ? [] : (data?.results ?? []).filter(({ record }) => record.resource === resource);
  return (
    <>
      {isPicked && (
        <p className="soft" role="status" dir="auto">
          {texts.picked(picked.title)}
        </p>
      )}
      {isSearch && !isPicked && data?.incomplete.includes(resource) === true && <Hint>{texts.notSearched}</Hint>}
      {found.length > 0 && (
        <Rows className="links" aria-label={texts.found}>
          {found.slice(0, offeredMost).map(({ record, matched }) => (
            <Row key={record.id}>
              <Button
                tone="bare"
                onClick={() => {
                  setPicked(record);
                  onId(record.id);
                }}
              >
                <span dir="auto">{record.title}</span>{' '}
                <Aside>{texts.foundBy(record.id, matched === record.title ? null : matched)}</Aside>
              </Button>
            </Row>
          ))}
        </Rows>
      )}
    </>
  );
};
