/** The revision of a message, and the check that its headers agree with its body. Used by handleMessage.ts. */
import { isObject } from '../../shared/platform/core/jsonLimits.ts';
import type { RequestSource } from '../endpoint.ts';
import { headerValues } from '../http/headers.ts';
import { mcpErrorCodes, McpFailure, protocolVersions, statelessVersion, type McpMessage } from './protocol.ts';

/** The revision of messages without `mcp-protocol-version`: the last one that had no such header. */
const defaultVersion = '2025-03-26';

const versionKey = 'io.modelcontextprotocol/protocolVersion';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

const headerMismatch = (message: string): McpFailure =>
  new McpFailure({ code: mcpErrorCodes.headerMismatch, message }, 400);

const singleHeader = (from: RequestSource, name: string): string | undefined => {
  const given = headerValues(from, name);
  if (given.length > 1) throw headerMismatch(`The header ${name} is given more than once.`);
  return given[0];
};

const encoded = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

/** Returns a header's value; values that no header can carry are sent as base64 of UTF-8. */
const decoded = (value: string): string => {
  const text = encoded.exec(value)?.[1];
  return text === undefined ? value : Buffer.from(text, 'base64').toString();
};

const requireVersion = (asked: string): void => {
  if (protocolVersions.includes(asked)) return;
  throw new McpFailure(
    {
      code: mcpErrorCodes.unsupportedVersion,
      message: 'This version of the protocol is not spoken here.',
      data: { supported: protocolVersions, requested: asked },
    },
    400,
  );
};

const requireSame = (from: RequestSource, name: string, value: string): void => {
  const given = singleHeader(from, name);
  if (given === undefined) throw headerMismatch(`The header ${name} is missing.`);
  if (decoded(given) !== value) throw headerMismatch(`The header ${name} does not say what the message says.`);
};

/** Throws unless the headers of a stateless message agree with its body, because proxies route by them. */
const requireMatchingHeaders = (from: RequestSource, { method, params }: McpMessage, version: string): void => {
  requireSame(from, 'mcp-protocol-version', version);
  requireSame(from, 'mcp-method', method);
  const name = isObject(params) ? params['name'] : undefined;
  if (method === 'tools/call' && typeof name === 'string') requireSame(from, 'mcp-name', name);
};

/** Returns the revision of a request. Throws for an unknown one, and for headers that contradict the message. */
export const protocolRevision = (from: RequestSource, message: McpMessage): string => {
  const given = singleHeader(from, 'mcp-protocol-version');
  const meta = isObject(message.params) ? message.params['_meta'] : undefined;
  const said = isObject(meta) ? meta[versionKey] : undefined;
  if (said === undefined && given !== statelessVersion && message.method !== 'server/discover') {
    const version = given ?? defaultVersion;
    requireVersion(version);
    return version;
  }
  if (typeof said !== 'string')
    throw new McpFailure({ code: mcpErrorCodes.invalidParams, message: `_meta["${versionKey}"] is required.` }, 400);
  if (given !== undefined && given !== said)
    throw headerMismatch('The header mcp-protocol-version does not say what the message says.');
  requireVersion(said);
  if (said !== statelessVersion) return said;
  requireMatchingHeaders(from, message, said);
  if (!isObject(meta) || !isObject(meta[capabilitiesKey]))
    throw new McpFailure(
      { code: mcpErrorCodes.invalidParams, message: `_meta["${capabilitiesKey}"] is required.` },
      400,
    );
  return said;
};
