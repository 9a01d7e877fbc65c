/** The console with marked texts, built beside the real one and given to a page in its place. Used by test/console/language.test.ts. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
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
  const page = readFileSync(join(folder, 'index.html'), 'utf8').replaceAll('{{base}}', '').replace('{{readLag}}', '0');
  return {
    giveTo: async (tab) => {
      await tab.route(
        (url) => !url.pathname.startsWith('/api/'),
        async (route) => {
          const request = route.request();
          const { pathname } = new URL(request.url());
          if (pathname.startsWith('/assets/')) return route.fulfill({ path: join(folder, pathname) });
          if (request.resourceType() !== 'document') return route.continue();
          return route.fulfill({ response: await route.fetch(), body: page });
        },
      );
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};
