/** The console with marked texts, built beside the real one and given to a page in its place. Used by test/console/language.test.ts. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import type { Page } from 'playwright-core';
import { buildInto } from '../../shared/tools/services/buildConsole.mjs';
import { textsFile } from './consoleTexts.ts';

const marks = fileURLToPath(new URL('markedTexts.ts', import.meta.url));

/** Puts in the place of each file of texts one that exports the same, marked. */
const markTexts: Plugin = {
  name: 'marked texts',
  setup: (build) => {
    build.onResolve({ filter: textsFile }, ({ path, resolveDir, namespace }) =>
      namespace === 'marked' ? undefined : { path: resolve(resolveDir, path), namespace: 'marked' },
    );
    build.onLoad({ filter: /./, namespace: 'marked' }, ({ path }) => {
      const name = /^export const (\w+)/m.exec(readFileSync(path, 'utf8'))?.[1] ?? '';
      return {
        resolveDir: dirname(path),
        loader: 'ts',
        contents: `import { ${name} as texts } from ${JSON.stringify(path)};
          import * as react from 'react';
          import { marked } from ${JSON.stringify(marks)};
          export const ${name} = marked(texts, react);`,
      };
    });
  },
};

interface MarkedConsole {
  /** Has a page get this console from the service, whose answers stay its own. */
  giveTo(page: Page): Promise<void>;
  /** Deletes it. */
  remove(): void;
}

export const buildMarkedConsole = async (): Promise<MarkedConsole> => {
  const folder = mkdtempSync(join(tmpdir(), 'console-marked-'));
  await buildInto(folder, [markTexts]);
  const assets = join(folder, 'assets');
  const names = readdirSync(assets);
  const main = names.find((name) => /^main-\w+\.js$/.test(name)) ?? '';
  return {
    giveTo: async (page) => {
      // The document stays the service's own, as the browser would keep one of unknown origin from the stream.
      await page.route(/\/assets\/[^/]+\.js$/, (route) => {
        const asked = new URL(route.request().url()).pathname.split('/').at(-1) ?? '';
        const name = asked.startsWith('main-') ? main : asked;
        return names.includes(name) ? route.fulfill({ path: join(assets, name) }) : route.continue();
      });
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};
