/** The least that a page of items costs: prepared SQL, columns as text, JSON built by hand, node:http. No rights, no checks. */
import { createServer } from 'node:http';
import pg from 'pg';
import { answerCalls } from '../ipc.ts';

interface Start {
  readonly port: number;
  readonly env: number;
  readonly inboxes: readonly string[];
  readonly poolSize: number;
}

const columns = `id, inbox, title, state, record_resource, record_id, record_title, array_to_json(tags)::text, assignee, occurrences, users, first_seen,
  last_seen, due_at, fields::text, snoozed_until, triaged, created_at, updated_at, version`;
const texts = { getTypeParser: () => (text: string) => text };

/** One ordered branch per inbox, merged by the planner. */
const textOf = (inboxes: number, deep: boolean): string => {
  const after = deep ? `and (last_seen, id) < ($${String(inboxes + 2)}, $${String(inboxes + 3)})` : '';
  const branches = Array.from(
    { length: inboxes },
    (_, i) =>
      `(select * from items where env = $1 and inbox = $${String(i + 2)} ${after} order by last_seen desc, id desc)`,
  );
  return `select ${columns} from (${branches.join(' union all ')}) i order by last_seen desc, id desc limit 51`;
};

type Row = readonly (string | null)[];
const quoted = (text: string | null | undefined): string =>
  text === null || text === undefined ? 'null' : JSON.stringify(text);
const json = (r: Row): string =>
  `{"id":"${r[0]}","inbox":"${r[1]}","title":${quoted(r[2])},"state":"${r[3]}","record":${r[4] === null ? 'null' : `{"resource":"${r[4]}","id":${quoted(r[5])},"title":${quoted(r[6])}}`},"tags":${r[7]},"assignee":${quoted(r[8])},"occurrences":${r[9]},"users":${r[10]},"firstSeen":${r[11]},"lastSeen":${r[12]},"dueAt":${r[13]},"fields":${r[14]},"snoozedUntil":${r[15]},"triaged":${r[16] === 't'},"createdAt":${r[17]},"updatedAt":${r[18]},"version":${r[19]}}`;

const start = async ({ port, env, inboxes, poolSize }: Start): Promise<void> => {
  const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: poolSize });
  const statements = [false, true].map((deep) => ({
    name: deep ? 'deep' : 'first',
    text: textOf(inboxes.length, deep),
  }));
  const server = createServer((request, response) => {
    const after = request.url?.split('?after=', 2)[1]?.split(',') ?? [];
    const statement = statements[after.length === 0 ? 0 : 1];
    const config: pg.QueryArrayConfig = {
      name: statement?.name,
      text: statement?.text ?? '',
      values: [env, ...inboxes, ...after],
      rowMode: 'array',
      types: texts as never,
    };
    void pool.query<(string | null)[]>(config).then(({ rows }) => {
      let text = '{"items":[';
      for (let i = 0; i < 50 && i < rows.length; i++) text += i === 0 ? json(rows[i] ?? []) : `,${json(rows[i] ?? [])}`;
      const last = rows[49];
      text += `],"cursor":${rows.length > 50 && last !== undefined ? `"${last[12]},${last[0]}"` : 'null'}}`;
      response.writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(text),
      });
      response.end(text);
    });
  });
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
};

answerCalls({ start });
