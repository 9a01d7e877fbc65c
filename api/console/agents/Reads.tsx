/** The reads of one agent, from the live stream while this page is open. Used by AgentPage. */
import { useEffect, useState } from 'react';
import { outcomes } from '../audit/outcome.ts';
import { liveUrl, openStream, useStreamState, type Stream } from '../live/stream.ts';
import { useKeys } from '../shell/keyboard.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { ListTable } from '../ui/ListTable.tsx';
import { Empty } from '../ui/Problem.tsx';
import { count } from '../ui/time.ts';
import { Ago } from '../ui/Time.tsx';
import type { LiveMessage } from '../wire/types.ts';
import { Target } from './LedgerLine.tsx';

type Read = Extract<LiveMessage, { readonly type: 'read' }> & { readonly n: number };

/** More than a person scrolls through. */
const readsMost = 200;

/** Returns the parameters as people read them. */
const queryText = (query: Read['query']): string =>
  query === null
    ? 'parameters not shown'
    : Object.entries(query)
        .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join(' ');

const Line = ({ read: { at, verb, via, targets, query, outcome, code } }: { readonly read: Read }) => (
  <tr>
    <td className="soft">
      <Ago at={at} />
    </td>
    <td dir="auto">
      <span className="mono">{verb}</span> {via === 'mcp' && <span className="soft">by a tool</span>}{' '}
      <span className="soft">{queryText(query)}</span>
    </td>
    <td dir="auto">
      {targets.map((target) => (
        <div key={`${target.type} ${target.id}`}>
          <Target target={target} />
        </div>
      ))}
    </td>
    <td className={outcome === 'ok' ? 'soft' : 'problem'}>{code ?? outcomes[outcome]}</td>
  </tr>
);

const words = { connecting: 'Connecting …', complete: 'Watching', broken: 'Not connected; trying again …' } as const;

const Status = ({ stream }: { readonly stream: Stream }) => (
  <span className="soft" role="status">
    {words[useStreamState(stream).status]}
  </span>
);

/** Returns the reads since it was first called, newest first, and the stream that brings them. */
const useReads = (agent: string): { readonly reads: readonly Read[]; readonly stream: Stream | null } => {
  const { http } = useSession();
  const [reads, setReads] = useState<readonly Read[]>([]);
  const [stream, setStream] = useState<Stream | null>(null);
  useEffect(() => {
    let n = 0;
    const opened = openStream({
      url: `${liveUrl(http)}?types=read&agent=${agent}`,
      onMessage: (message) => {
        if (message.type !== 'read') return;
        n += 1;
        const read = { ...message, n };
        setReads((known) => [read, ...known].slice(0, readsMost));
      },
      onReset: () => undefined,
      onLost: () => undefined,
    });
    setStream(opened);
    return () => opened.close();
  }, [http, agent]);
  return { reads, stream };
};

const ReadsTable = ({ agent }: { readonly agent: string }) => {
  const { reads, stream } = useReads(agent);
  const [held, setHeld] = useState<readonly Read[] | null>(null);
  const shown = held ?? reads;
  const later = (reads[0]?.n ?? 0) - (shown[0]?.n ?? 0);
  return (
    <>
      <p className="soft">
        {stream !== null && <Status stream={stream} />}
        {later > 0 && ` · ${count(later)} more when the pointer leaves`}
      </p>
      {shown.length === 0 ? (
        <Empty title="Nothing read yet">What it reads from now on is shown here, and not kept.</Empty>
      ) : (
        <ListTable
          label="Reads"
          headings={['When', 'Read', 'Target', 'Outcome']}
          isLedger
          onPointerEnter={() => setHeld(reads)}
          onPointerLeave={() => setHeld(null)}
        >
          {shown.map((read) => (
            <Line key={read.n} read={read} />
          ))}
        </ListTable>
      )}
    </>
  );
};

export const Reads = ({ agent }: { readonly agent: string }) => {
  const [isWatched, setWatched] = useState(false);
  const toggle = (): void => setWatched(!isWatched);
  useKeys({ r: toggle });
  return (
    <>
      <div className="ledger-head">
        <h2>What it reads</h2>
        <Button
          aria-pressed={isWatched}
          title="Shows what it reads while this is on; nothing of it is kept"
          onClick={toggle}
          shortcut="r"
        >
          Show reads
        </Button>
      </div>
      {isWatched && <ReadsTable agent={agent} />}
    </>
  );
};
