/** The least that pages and single records cost: prepared SQL, columns as text, JSON built by hand, node:http. No rights, no checks. */
import { createServer } from 'node:http';
import pg from 'pg';
import { answerCalls } from '../ipc.ts';

interface Start {
  readonly port: number;
  readonly env: number;
  readonly resource: string;
  readonly poolSize: number;
}

const texts = { getTypeParser: () => (text: string) => text };
const columns = 'r.id, r.title, r.subtitle, r.fields::text, r.updated_at';
const own = 'r.env = $1 and r.resource = $2';

/** By the first segment of the path; the rest is the statement's further parameter. */
const statements: Readonly<Record<string, string>> = {
  title: `select ${columns} from records r where ${own} and r.title_key >= $3 order by r.title_key, r.id limit 51`,
  spent: `select ${columns} from record_keys k join records r on r.env = k.env and r.resource = k.resource and r.id = k.id
    where k.env = $1 and k.resource = $2 and k.field = 'spent' and not k.missing and (k.num, k.text, k.id) < ($3::float8, '', '') order by k.num desc, k.text desc, k.id desc limit 51`,
  plan: `select ${columns} from records r where ${own} and r.fields ->> 'plan' = $3 order by r.title_key, r.id limit 51`,
  word: `with found as materialized (select r.* from records r where ${own} and r.terms @@ $3::tsquery) select ${columns} from found r limit 51`,
};

type Row = readonly (string | null)[];
const quoted = (text: string | null | undefined): string =>
  text === null || text === undefined ? 'null' : JSON.stringify(text);

const start = async ({ port, env, resource, poolSize }: Start): Promise<void> => {
  const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: poolSize });
  const json = (r: Row): string =>
    `{"resource":"${resource}","id":${quoted(r[0])},"title":${quoted(r[1])},"subtitle":${quoted(r[2])},"fields":${String(r[3])},"updatedAt":${String(r[4])}}`;
  const server = createServer((request, response) => {
    const [, name = '', value = ''] = (request.url ?? '').split('/');
    const config: pg.QueryArrayConfig = {
      name,
      text: statements[name] ?? '',
      values: [env, resource, decodeURIComponent(value)],
      rowMode: 'array',
      types: texts as never,
    };
    void pool.query<(string | null)[]>(config).then(({ rows }) => {
      const text = `{"records":[${rows.slice(0, 50).map(json).join(',')}],"cursor":${rows.length > 50 ? quoted(rows[49]?.[0]) : 'null'}}`;
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
