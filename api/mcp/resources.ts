/** What models may read beside tools: what the app declares, as far as the role sees it, and the documents. Used by server.ts. */
import type { ListResourcesResult, ReadResourceResult } from '@modelcontextprotocol/server';
import { isObject } from '../../shared/platform/json/jsonLimits.ts';
import type { EndpointCall } from '../endpoint.ts';
import { readDocument } from '../http/packedFile.ts';
import { type Members, objectsIn, textOf } from './answers/members.ts';
import { bodyOf } from './answers/page.ts';
import { getEndpoint } from './endpoints.ts';
import { serveEndpoint } from './serveEndpoint.ts';

/** The sections of the documents for agents, each a resource of its own. */
interface DocumentSection {
  readonly uri: string;
  readonly title: string;
  readonly text: string;
}

const documents = ['agents', 'flags'] as const;

const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

const sectionsOf = (name: string): DocumentSection[] => {
  const [, ...parts] = readDocument(name).split(/^## /m);
  return parts.map((text) => {
    const title = text.slice(0, text.indexOf('\n')).trim();
    return { uri: `console://docs/${name}/${slugOf(title)}`, title, text: `## ${text}` };
  });
};

let sections: readonly DocumentSection[] | undefined;

/** Returns the sections in the order of the documents, which are read with the first call. */
const documentSections = (): readonly DocumentSection[] => (sections ??= documents.flatMap(sectionsOf));

/** A kind of what is declared: the endpoint that lists it, the list in its body, and the member that names each. */
const declared = [
  { kind: 'inboxes', endpoint: 'inbox.list', name: 'name' },
  { kind: 'views', endpoint: 'view.list', name: 'name' },
  { kind: 'resources', endpoint: 'resource.list', name: 'name' },
  { kind: 'actions', endpoint: 'action.list', name: 'name' },
  { kind: 'pages', endpoint: 'page.list', name: 'name' },
  { kind: 'flags', endpoint: 'flag.list', name: 'flag' },
].map((row) => ({ ...row, serve: serveEndpoint(getEndpoint(row.endpoint)) }));

interface Described {
  readonly uri: string;
  readonly value: Members;
}

/** Returns what the app declares of a kind, with a URI for each. */
const readKind = async (
  call: EndpointCall,
  { kind, name, serve }: (typeof declared)[number],
): Promise<readonly Described[]> => {
  const found: Described[] = [];
  for (let cursor: unknown; cursor !== null;) {
    const page = cursor === undefined ? {} : { cursor };
    const body = bodyOf(await serve(call, { params: {}, values: { ...page, limit: 200 }, headers: {} }));
    for (const value of objectsIn(body[kind]))
      found.push({ uri: `console://${kind}/${encodeURIComponent(textOf(value[name]))}`, value });
    cursor = body['cursor'] ?? null;
  }
  return found;
};

/** Returns the resources, those of the app first. */
export const listResources = async (call: EndpointCall): Promise<ListResourcesResult> => {
  const kinds = await Promise.all(declared.map((row) => readKind(call, row)));
  return {
    resources: [
      ...kinds.flat().map(({ uri, value }) => ({
        uri,
        name: uri.slice('console://'.length),
        ...(textOf(value['description']) === '' ? {} : { description: textOf(value['description']) }),
        mimeType: 'application/json',
      })),
      ...documentSections().map(({ uri, title }) => ({ uri, name: title, mimeType: 'text/markdown' })),
    ],
  };
};

/** Returns the content of a resource; undefined for one that is not there, or that the role does not see. */
export const readResource = async (call: EndpointCall, uri: string): Promise<ReadResourceResult | undefined> => {
  const section = documentSections().find((each) => each.uri === uri);
  if (section !== undefined) return { contents: [{ uri, mimeType: 'text/markdown', text: section.text }] };
  const row = declared.find(({ kind }) => uri.startsWith(`console://${kind}/`));
  const found = row === undefined ? undefined : (await readKind(call, row)).find((each) => each.uri === uri);
  if (found === undefined || !isObject(found.value)) return undefined;
  return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(found.value) }] };
};
