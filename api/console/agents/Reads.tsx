/** The reads of one agent, from the live stream while this page is open. Used by AgentPage. */
import { useEffect, useState } from 'react';
import { verbWords } from '../audit/entryParts.tsx';
import { auditTexts } from '../audit/texts.tsx';
import { liveUrl, openStream, useStreamState, type Stream } from '../live/stream.ts';
import { useKeys } from '../shell/keyboard.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Ago } from '../ui/marks.tsx';
import { ListTable } from '../ui/PageParts.tsx';
import { Empty } from '../ui/Problem.tsx';
import type { LiveMessage } from '../wire/types.ts';
import { Target } from './Ledger.tsx';
import { agentTexts } from './texts.tsx';

type Read = Extract<LiveMessage, { readonly type: 'read' }> & { readonly n: number };

/** More than a person scrolls through. */
const readsMost = 200;

/** Returns the parameters as people read them. */
const queryText = (query: Read['query']): string =>
  query === null
    ? agentTexts.reads.noQuery
    : Object.entries(query)
        .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join(' ');

const Line = ({ read: { at, verb, via, targets, query, outcome, code } }: { readonly read: Read }) => (
  <tr>
    <td className="soft">
      <Ago at={at} />
    </td>
    <td dir="auto">
      <span title={verb}>{verbWords(verb)}</span>{' '}
      {via === 'mcp' && <span className="soft">{agentTexts.reads.byTool}</span>}{' '}
      <span className="soft">{queryText(query)}</span>
    </td>
    <td dir="auto">
      {targets.map((target) => (
        <div key={`${target.type} ${target.id}`}>
          <Target target={target} />
        </div>
      ))}
    </td>
    <td className={outcome === 'ok' ? 'soft' : 'problem'}>{code ?? auditTexts.outcome[outcome]}</td>
  </tr>
);

const Status = ({ stream }: { readonly stream: Stream }) => (
  <span className="soft" role="status">
    {agentTexts.reads.status[useStreamState(stream).status]}
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
        {later > 0 && ` · ${agentTexts.reads.later(later)}`}
      </p>
      {shown.length === 0 ? (
        <Empty title={agentTexts.reads.none}>{agentTexts.reads.noneAbout}</Empty>
      ) : (
        <ListTable
          label={agentTexts.reads.reads}
          headings={agentTexts.reads.headings}
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
        <h2>{agentTexts.reads.title}</h2>
        <Button aria-pressed={isWatched} title={agentTexts.reads.showAbout} onClick={toggle} shortcut="r">
          {agentTexts.reads.show}
        </Button>
      </div>
      {isWatched && <ReadsTable agent={agent} />}
    </>
  );
};
