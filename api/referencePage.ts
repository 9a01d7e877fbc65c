/** The reference page of the API: `/openapi.json` shown by Redoc, from this origin alone. Used by middleware/pages.ts. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { toPackedFile, type PackedFile } from './http/packedFile.ts';

/** Copied beside this file by the build, so that an installation of the product alone needs no package for it. */
const copied = new URL('redoc.standalone.js', import.meta.url);
const file = existsSync(copied) ? copied : createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js');

/** Returns the library. It shows its maker’s logo from another origin: instead of that, nothing. */
const readSource = (): Buffer =>
  Buffer.from(readFileSync(file, 'latin1').replaceAll('https://cdn.redoc.ly/redoc/logo-mini.svg', 'data:,'), 'latin1');

/** Where the script is on the host: the name changes with its content, so that browsers keep it for good. */
export const scriptPath = `/docs/redoc-${createHash('sha256').update(readSource()).digest('hex').slice(0, 12)}.js`;

/** The library writes styles into the page and searches in a worker that it makes; all else comes from this origin. */
export const referencePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page; its addresses are relative, as a proxy may serve it below a path. */
export const referencePage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Console API</title>
<link rel="icon" href="data:,">
</head>
<body style="margin:0">
<redoc spec-url="openapi.json" native-scrollbars hide-hostname></redoc>
<noscript>The machine-readable form is <a href="openapi.json">openapi.json</a>.</noscript>
<script src="${scriptPath.slice(1)}"></script>
</body>
</html>
`;

const packScript = async (): Promise<PackedFile> => {
  const source = readSource();
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(source, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    promisify(gzip)(source),
  ]);
  return toPackedFile('text/javascript; charset=utf-8', source, { br, gzip: zipped });
};

let script: Promise<PackedFile> | undefined;

/** Returns the library’s script; the first who asks waits until it is read and compressed. */
export const referenceScript = (): Promise<PackedFile> => (script ??= packScript());
