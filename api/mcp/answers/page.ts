/** Pages of lists as tools answer them: as many elements as fit, and how many more there are. Used by result.ts. */
import type { Caller } from '../../../shared/accounts/access/principal.ts';
import type { ApiResponse } from '../../http/apiResponse.ts';
import type { Members } from './members.ts';
import { answerBytesMax, presentBody, type Form } from './present.ts';

/** Elements of a page unless the call names a limit: a model reads them all. */
const pageLength = 20;
/** The same of a log, whose elements are merged into fewer. */
const logLength = 200;
/** How far is counted what follows a page. */
const countAhead = 200;

export interface PagedTool {
  /** The name of the list in the body. */
  readonly list: string;
  /** Whether `count=1` gives a first page its total. */
  readonly counts: boolean;
  /** Returns whether the rest may be read to count it: not where that asks the customer's app; null: the list is a log, which says itself whether it goes on. */
  readonly canLookAhead: ((caller: Caller, given: Members) => boolean) | null;
}

type ServePage = (given: Members) => Promise<ApiResponse>;

export const bodyOf = ({ body = {} }: ApiResponse): Members =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- endpoints answer objects
  (typeof body === 'string' ? JSON.parse(body) : body) as Members;

const lengthOf = (body: Members, list: string): number => {
  const elements = body[list];
  return Array.isArray(elements) ? elements.length : 0;
};

interface PageCall {
  readonly tool: PagedTool;
  readonly caller: Caller;
  readonly given: Members;
  readonly form: Form;
  readonly serve: ServePage;
}

/** How many elements follow a page: at least so many, where that is not known exactly. */
interface More {
  readonly more?: number;
  readonly moreIsMinimum?: true;
}

const atLeast = (more: number): More => ({ more, moreIsMinimum: true });

const countMore = async ({ tool, caller, given, serve }: PageCall, body: Members): Promise<More> => {
  const { cursor, total, totalIsMinimum } = body;
  if (tool.canLookAhead === null) return body['more'] === true ? atLeast(1) : {};
  if (typeof cursor !== 'string') return {};
  if (typeof total === 'number') {
    const more = total - lengthOf(body, tool.list);
    return totalIsMinimum === true ? atLeast(more) : { more };
  }
  if (!tool.canLookAhead(caller, given)) return atLeast(1);
  const ahead = bodyOf(await serve({ ...given, cursor, limit: countAhead }));
  const more = lengthOf(ahead, tool.list);
  return ahead['cursor'] === null ? { more } : atLeast(more);
};

/** Returns the page that the arguments ask for: shorter than asked for, with a cursor, where it would be too long. */
export const servePage = async (
  call: PageCall,
  limit: unknown = call.given['limit'] ??
    (call.tool.canLookAhead === null && call.form.detail === 'compact' ? logLength : pageLength),
): Promise<{ readonly response: ApiResponse; readonly value: Members }> => {
  const { tool, given, form, serve } = call;
  const counted = tool.counts && given['cursor'] === undefined ? { count: '1' } : {};
  const response = await serve({ ...given, ...counted, limit });
  const body = bodyOf(response);
  const { value, bytes } = presentBody(body, form);
  const length = lengthOf(body, tool.list);
  if (bytes > answerBytesMax && length > 1)
    return servePage(call, Math.max(1, Math.floor((length * answerBytesMax) / bytes)));
  const more = await countMore(call, body);
  const { total, totalIsMinimum, more: _, ...rest } = value;
  const counts = given['count'] === undefined ? {} : { total, totalIsMinimum };
  return { response, value: { ...rest, ...counts, ...more } };
};
