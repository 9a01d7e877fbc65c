/** The messages that a client may send on its stream, `ping` and `narrow`, and the values of `types` and `inboxes`, there and in the query. */
import { Fault } from '../../shared/catalogue/errors.ts';
import { liveTypes } from '../../shared/catalogue/events.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import {
  csvListSchema,
  nameSchema,
  nullable,
  strictObject,
  Type,
  type Static,
} from '../../shared/platform/json/schema.ts';
import { compileCheck } from '../../shared/platform/json/validate.ts';
import { findRepeatedMember } from '../http/jsonMember.ts';
import { repeatedMemberFault } from '../http/requestBody.ts';
import type { LiveSession } from './session.ts';
import type { Narrowing } from './visibility.ts';

const typeNames: readonly string[] = liveTypes;

const type = Type.Union(
  typeNames.map((known) => Type.Literal(known)),
  { description: 'A type of live message.' },
);
const inbox = nameSchema('An inbox; one that the role does not see is never heard of.');

export const narrowingQuery = {
  agent: Type.Optional(Type.String({ description: 'An agent, whose reads are told too' })),
  types: Type.Optional(csvListSchema(type, 'Only messages of these types')),
  inboxes: Type.Optional(csvListSchema(inbox, 'Only these inboxes')),
};

export const pingSchema = strictObject({ type: Type.Literal('ping') });
export const narrowSchema = strictObject({
  type: Type.Literal('narrow'),
  types: Type.Optional(
    nullable(Type.Array(type, { maxItems: limits.filterValues, description: 'Only these types; null: all.' })),
  ),
  inboxes: Type.Optional(
    nullable(Type.Array(inbox, { maxItems: limits.filterValues, description: 'Only these inboxes; null: all.' })),
  ),
});
const checkPing = compileCheck(pingSchema);
const checkNarrow = compileCheck(narrowSchema);

const toSet = (names: readonly string[] | null): ReadonlySet<string> | null => (names === null ? null : new Set(names));

export interface NarrowingQuery {
  readonly types?: readonly string[];
  readonly inboxes?: readonly string[];
  readonly agent?: string;
}

export const parseNarrowing = ({ types, inboxes, agent }: NarrowingQuery): Narrowing => ({
  types: toSet(types ?? null),
  inboxes: toSet(inboxes ?? null),
  agent: agent ?? null,
});

/** Returns the new narrowing: an absent member changes nothing, null removes the restriction. */
const applyNarrowing = (before: Narrowing, { types, inboxes }: Static<typeof narrowSchema>): Narrowing => ({
  ...before,
  types: types === undefined ? before.types : toSet(types),
  inboxes: inboxes === undefined ? before.inboxes : toSet(inboxes),
});

const handleMessage = (session: LiveSession, text: string): void => {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw new Fault('bad_json', 'The message is not valid JSON.', {});
  }
  if (findRepeatedMember(text) !== null) throw repeatedMemberFault(text);
  const given = typeof message === 'object' && message !== null && 'type' in message ? message.type : undefined;
  if (given === 'ping') {
    checkPing(message);
    session.sendEphemeral('pong', {});
  } else if (given === 'narrow') {
    if (session.upkeep.narrowsTooOften())
      throw new Fault('rate_limited', 'A stream is narrowed at most 10 times in a second.', {});
    session.narrow(applyNarrowing(session.narrowing, checkNarrow(message)));
  } else throw new Fault('invalid', 'A message is { "type": "ping" } or { "type": "narrow", types, inboxes }.', {});
};

/** Sends the answer to one message, an error for an invalid one. */
const answerMessage = (session: LiveSession, text: string): void => {
  try {
    handleMessage(session, text);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { message, code, extra } = error;
    session.sendEphemeral('error', {
      error: message,
      code,
      ...(extra.details === undefined ? {} : { details: extra.details }),
    });
    if (session.upkeep.isLastError()) session.end(1008, 'too many messages that are not understood');
  }
};

/** Hears one message of a client. */
export const receiveMessage = (session: LiveSession, data: unknown, isBinary: boolean): void => {
  if (session.mode === 'ended') return;
  if (isBinary || !Buffer.isBuffer(data)) {
    session.end(1003, 'only text is understood');
    return;
  }
  if (session.upkeep.isFlood()) {
    session.end(1008, 'too many messages');
    return;
  }
  const { socket } = session;
  const before = socket.writableLength;
  answerMessage(session, data.toString());
  if (session.upkeep.leavesAnswersUnread(socket.writableLength - before))
    session.end(4408, 'the answers were not read');
};
