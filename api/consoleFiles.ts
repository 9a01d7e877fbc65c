/** The console's built page (shared/tools/services/buildConsole.mjs), read once at start. Used by middleware/pages.ts. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { toPackedFile, type PackedFile } from './http/packedFile.ts';

interface ConsoleFiles {
  readonly page: PackedFile;
  /** By name. */
  readonly assets: ReadonlyMap<string, PackedFile>;
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Beside the folder of the API, in sources and in `dist/` alike. */
const builtFolder = new URL('../.console/', import.meta.url);

/** Values that the page has in its own text. */
interface ServedWith {
  /** The path below which the API is, without a trailing slash. */
  readonly base: string;
  /** ms by which a standby that serves reads may be behind; 0: none serves. */
  readonly readLagMs: number;
}

/** Returns the files of the console; null when it is not built. */
export const readConsoleFiles = ({ base, readLagMs }: ServedWith): ConsoleFiles | null => {
  const page = new URL('index.html', builtFolder);
  if (!existsSync(page)) return null;
  const assets = new URL('assets/', builtFolder);
  const text = readFileSync(page, 'utf8').replaceAll('{{base}}', base).replace('{{readLag}}', String(readLagMs));
  return {
    page: toPackedFile('text/html; charset=utf-8', Buffer.from(text), { br: null, gzip: null }),
    assets: new Map(
      readdirSync(assets).flatMap((name) => {
        const type = types[extname(name)];
        if (type === undefined) return [];
        const read = (ending: string): Buffer => readFileSync(new URL(`${name}${ending}`, assets));
        return [[name, toPackedFile(type, read(''), { br: read('.br'), gzip: read('.gz') })]];
      }),
    ),
  };
};
