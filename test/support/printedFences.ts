/** The commands that documents print, fence by fence, and the test that runs each. Used by printedCommands.test.ts and its law. */
import { readFileSync } from 'node:fs';

type Document = 'alerts' | 'growing' | 'operators' | 'production';

export interface Fence {
  /** Such as `operators › Jobs › sh`, with a number for each further one. */
  readonly name: string;
  readonly text: string;
}

/** Returns the fences of a document that hold commands: for a shell, for PostgreSQL, and for Redis. */
export const readFences = (document: Document): Fence[] => {
  const text = readFileSync(new URL(`../../docs/${document}.md`, import.meta.url), 'utf8');
  const counts = new Map<string, number>();
  let section = '';
  return [...text.matchAll(/^#{2,3} (.+)$|^( *)```(\w+)\n([^]*?)^ *```$/gm)].flatMap(
    ([, heading, indent = '', language = '', body = '']) => {
      if (heading !== undefined) section = heading;
      const isCommand = language === 'sh' || language === 'sql' || body.startsWith('ACL ');
      if (heading !== undefined || !isCommand) return [];
      const name = `${document} › ${section} › ${language}`;
      const n = (counts.get(name) ?? 0) + 1;
      counts.set(name, n);
      const lines = body.split('\n').map((line) => line.slice(line.startsWith(indent) ? indent.length : 0));
      return [{ name: n === 1 ? name : `${name} ${String(n)}`, text: lines.join('\n').trim() }];
    },
  );
};

const here = 'test/flows/printedCommands.test.ts';
const doctor = 'test/flows/doctor.test.ts';
const cells = ['test/chaos/cells.test.ts', 'moves with its streams, work and people'] as const;
const followed = [doctor, 'finds nothing to change where docs/production.md was followed'] as const;
/** `npm run chaos -- --only restore`, with folders of its own: `npm test` has no server with these programs. */
const restored = ['test/chaos/support/restore/server.ts', 'by the commands of docs/production.md'] as const;

/** The test that runs a fence's commands as the role that the document names, and a part of its title; null: why none can. */
export const runBy: Readonly<Record<string, readonly [file: string | null, title: string]>> = {
  'growing › A new cell › sql': cells,
  'growing › Moving an environment › sh': cells,
  'operators › Upgrades › sql': ['test/flows/sideBySide.test.ts', 'goes back'],
  'operators › Principals › sh': [here, 'operators › Principals'],
  'operators › People and sessions › sh': [here, 'operators › People and sessions'],
  'operators › Settings › sh': [here, 'operators › Settings'],
  'operators › The audit log › sh': [here, 'operators › The audit log'],
  'operators › Jobs › sh': [here, 'operators › Jobs'],
  'operators › Erasing a person › sh': [here, 'operators › Erasing a person'],
  'operators › Archives › sh': [here, 'operators › Archives'],
  'operators › Retention › sh': [here, 'operators › Retention'],
  'operators › Retention › sh 2': [here, 'operators › Retention'],
  'operators › Loosenings › sh': [here, 'operators › Loosenings'],
  'operators › Traces › sh': [null, 'needs Docker; test/flows/traces.test.ts exports to a collector of its own'],
  'production › PostgreSQL › sql': followed,
  'production › PostgreSQL › sh': [here, 'production › variables'],
  'production › PostgreSQL › sql 2': ['test/flows/runbooks.test.ts', 'show the synchronous standby to the role'],
  'production › Redis › text': [doctor, 'passes an ACL with which API and workers do their work'],
  'production › Redis › sh': [here, 'production › variables'],
  'production › Build, migrate, check › sh': ['test/flows/image.test.ts', 'migrates, administers, serves'],
  'production › Processes and proxy › sh': [here, 'production › Processes and proxy'],
  'production › When a disk is nearly full › sql': [here, 'production › When a disk is nearly full'],
  'production › When a disk is nearly full › sh': [here, 'production › When a disk is nearly full'],
  'production › When a disk is nearly full › sql 2': [here, 'production › When a disk is nearly full'],
  'production › Backup and restore › sh': restored,
  'production › Backup and restore › sh 2': restored,
  'production › Backup and restore › sh 3': restored,
  'production › What a restore gives back › sh': [
    here,
    'production › What a restore gives back, of the data of before',
  ],
  'production › What a restore gives back › sql': [here, 'production › What a restore gives back'],
  'production › What a restore gives back › sql 2': [here, 'production › What a restore gives back'],
  'production › What a restore gives back › sh 2': [here, 'production › What a restore gives back'],
  'production › When the synchronous standby is gone › sql': [
    'test/flows/runbooks.test.ts',
    'show the synchronous standby to the role',
  ],
  'production › Standbys that serve reads › sh': [here, 'production › variables'],
  'production › Dropping the former role › sql': [here, 'production › Dropping the former role'],
};
