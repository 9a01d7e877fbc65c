/** What a call of a tool is answered: the endpoint's body, as text and as it is, or what the endpoint refused. */
import { Fault } from '../../shared/catalogue/errors.ts';
import { invalidDetails } from '../../shared/platform/core/validate.ts';
import type { Call } from '../endpoint.ts';
import type { Answer } from '../answer.ts';
import { faultAnswer } from '../middleware/respond.ts';
import { nextStep } from './next.ts';
import type { Result } from './protocol.ts';
import type { Tool } from './tool.ts';

const contentText = (...texts: readonly string[]): string => JSON.stringify(texts.map((text) => ({ type: 'text', text })));

const done = ({ status, body = {}, headers }: Answer): Result => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const next = status === 202 ? nextStep(typeof body === 'string' ? JSON.parse(body) : body) : null;
  return {
    content: contentText(text, ...(next === null ? [] : [next])),
    structuredContent: text,
    isError: 'false',
    ...(headers?.['idempotent-replayed'] === undefined ? {} : { _meta: '{"idempotent-replayed":true}' }),
  };
};

/** The fault with the places that the tool's arguments have. */
const inArguments = (failure: Fault, { place }: Tool): Fault => {
  const details = failure.extra.details?.map(({ path, message }) => ({ path: place(path), message }));
  if (details === undefined) return failure;
  // Its sentence names the first place.
  if (failure.code === 'invalid') return invalidDetails(details) as Fault;
  return new Fault(failure.code, failure.message, { ...failure.extra, details });
};

const refused = (failure: Fault): Result => {
  const { status, body } = faultAnswer(failure);
  const text = JSON.stringify({ ...(body as object), status });
  return { content: contentText(text), structuredContent: text, isError: 'true' };
};

export interface Called {
  readonly result: Result;
  /** Whether it carries items, and so the stream's position from before they were read. */
  readonly items: boolean;
}

export const callTool = async (tool: Tool, call: Call, given: Readonly<Record<string, unknown>>): Promise<Called> => {
  try {
    const answer = await tool.serve(call, given);
    return { result: done(answer), items: answer.items ?? false };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { result: refused(inArguments(error, tool)), items: false };
  }
};
