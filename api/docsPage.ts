/** The OpenAPI document as one page without scripts, made once at start. Used by middleware/hostPages.ts. */
import type { OpenApiDocument } from './openapi.ts';

interface Operation {
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters: readonly {
    readonly name?: string;
    readonly in?: string;
    readonly description?: string;
    readonly $ref?: string;
  }[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: unknown; readonly example: unknown } };
  };
  readonly responses: Readonly<
    Record<
      string,
      { readonly content?: { readonly 'application/json': { readonly schema: unknown } }; readonly $ref?: string }
    >
  >;
}

const escape = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${String(sign.charCodeAt(0))};`);
const pre = (value: unknown): string => `<pre>${escape(JSON.stringify(value, null, 2))}</pre>`;

const section = (method: string, path: string, operation: Operation): string => {
  const query = operation.parameters.filter((parameter) => parameter.in === 'query');
  const body = operation.requestBody?.content['application/json'];
  const answers = Object.entries(operation.responses).filter(([, response]) => response.$ref === undefined);
  return `<details><summary><code>${method.toUpperCase()} ${escape(path)}</code> ${escape(operation.summary)}</summary>
${query.length === 0 ? '' : `<h4>Query</h4><dl>${query.map(({ name = '', description = '' }) => `<dt><code>${escape(name)}</code></dt><dd>${escape(description)}</dd>`).join('')}</dl>`}
${body === undefined ? '' : `<h4>Body</h4>${pre(body.example)}<details><summary>schema</summary>${pre(body.schema)}</details>`}
${answers.map(([status, { content }]) => `<h4>${status}</h4>${content === undefined ? '' : `<details><summary>schema</summary>${pre(content['application/json'].schema)}</details>`}`).join('')}
</details>`;
};

/** The page's only style, which its content security policy names by its hash. */
export const docsStyle =
  'body{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}summary{cursor:pointer;margin:.4rem 0}pre{background:#f4f4f4;padding:.8rem;overflow:auto;font-size:.85rem}dt{margin-top:.4rem}@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}pre{background:#222}}';

export const docsPage = (document: OpenApiDocument): string => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `buildOpenApiDocument` made it
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation: operation as Operation })),
  );
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags))];
  const body = tags
    .map(
      (tag) =>
        `<h2>${escape(tag)}</h2>${operations
          .filter(({ operation }) => operation.tags.includes(tag))
          .map(({ path, method, operation }) => section(method, path, operation))
          .join('')}`,
    )
    .join('');
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escape(document.info.title)}</title>
<style>${docsStyle}</style>
<h1>${escape(document.info.title)} ${escape(document.info.version)}</h1><p>${escape(document.info.description)}
The machine-readable form is <a href="/openapi.json">/openapi.json</a>.</p>${body}</html>`;
};
