/** The section of an ordinary settings resource: its list, with what can be done to each, drawn from its texts. Used by SettingsPage. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Ago } from '../ui/marks.tsx';
import { ColumnHead, ListTable } from '../ui/PageParts.tsx';
import { Empty, Problem, Skeleton } from '../ui/Problem.tsx';
import { wholeOf } from '../wire/reading.ts';
import type { ResourceTexts, Thing } from './resourceRow.ts';
import { useResource } from './useResource.tsx';

type Column = ResourceTexts['columns'][number];

const Cell = ({ column: { name, as, none }, thing }: { readonly column: Column; readonly thing: Thing }) => {
  const value = thing[name];
  if (as === 'time') return <td className="soft">{typeof value === 'number' ? <Ago at={value} /> : none}</td>;
  return <td dir="auto">{typeof value === 'string' ? value : none}</td>;
};

const deeds = ['edit', 'rotate', 'end'] as const;

export const ResourceSection = ({ texts }: { readonly texts: ResourceTexts }) => {
  const { http, environment } = useSession();
  const { path, many } = texts.api;
  const key = [many];
  const query = queryOptions({ queryKey: key, ...wholeOf<Thing>(http, path, many) });
  const { data: things, error, refetch } = useQuery(query);
  const { make, open, dialog } = useResource(texts, key);
  if (error !== null && things === undefined) return <Problem isPage error={error} onRetry={() => void refetch()} />;
  return (
    <div className="column">
      <ColumnHead title={texts.title} about={texts.about(environment)}>
        <Button tone="main" onClick={make}>
          {texts.form.make}
        </Button>
      </ColumnHead>
      {things === undefined && <Skeleton rows={3} />}
      {things?.length === 0 && <Empty title={texts.none}>{texts.noneAbout}</Empty>}
      {things !== undefined && things.length > 0 && (
        <ListTable label={texts.title} headings={texts.columns.map(({ heading }) => heading)} deeds={texts.changes}>
          {things.map((thing) => (
            <tr key={thing.id}>
              {texts.columns.map((column) => (
                <Cell key={column.name} column={column} thing={thing} />
              ))}
              <td>
                {deeds.map((what) => {
                  const deed = texts.deeds[what];
                  return (
                    deed !== undefined && (
                      <Button key={what} tone="bare" aria-label={deed.of(thing.name)} onClick={() => open(what, thing)}>
                        {deed.label}
                      </Button>
                    )
                  );
                })}
              </td>
            </tr>
          ))}
        </ListTable>
      )}
      {dialog}
    </div>
  );
};
