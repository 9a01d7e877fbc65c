/** The documents in `docs/`, as the host and the tools for models show them. Used by ../llmsPages.ts and mcp/resources.ts. */
import { existsSync, readFileSync } from 'node:fs';

/** The folder lies beside `api`, or beside `dist` in a build. */
const folder = ['../../docs/', '../../../docs/']
  .map((path) => new URL(path, import.meta.url))
  .find((url) => existsSync(new URL('agents.md', url)));

/** Returns the text of a document; an empty one where documents were not installed. */
export const readDocument = (name: string): string =>
  folder === undefined ? '' : readFileSync(new URL(`${name}.md`, folder), 'utf8');
