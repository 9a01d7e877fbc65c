/** The rows of a list of records. Used by ResourcePage. */
import { Ago } from '../ui/Time.tsx';
import { VirtualRows } from '../ui/VirtualRows.tsx';
import type { AppRecord } from '../wire/types.ts';

interface RecordListProps {
  readonly records: readonly AppRecord[];
  readonly label: string;
  readonly openId: string | undefined;
  readonly hasMore: boolean;
  readonly onOpen: (id: string) => void;
  /** Called when the end comes into sight. */
  readonly onEnd: () => void;
}

const elementId = (_id: string, index: number): string => `record-${String(index)}`;

export const RecordList = ({ records, onOpen, ...list }: RecordListProps) => (
  <VirtualRows ids={records.map(({ id }) => id)} elementId={elementId} {...list}>
    {(id, index, place) => {
      const record = records[index];
      return (
        record !== undefined && (
          <div
            key={id}
            className="row record-row"
            style={{ transform: place }}
            role="option"
            id={elementId(record.id, index)}
            aria-selected={record.id === list.openId}
            onClick={() => onOpen(record.id)}
          >
            <span className="row-title" dir="auto">
              {record.title}
            </span>
            <span className="row-when">{record.updatedAt !== null && <Ago at={record.updatedAt} />}</span>
            <span className="row-about">
              {record.subtitle !== null && <span dir="auto">{record.subtitle}</span>}
              <span className="mono">{record.id}</span>
            </span>
          </div>
        )
      );
    }}
  </VirtualRows>
);
