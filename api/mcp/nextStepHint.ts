/** The next step of an agent after a response that is not final: the tool that has the rest. Used by result.ts. */
import { isObject } from '../../shared/platform/core/jsonLimits.ts';

const call = (tool: string, id: unknown): string => `${tool} with ${JSON.stringify({ id })}`;

/** Returns a sentence for the body of an accepted change (`202`), or null. */
export const nextStepHint = (body: unknown): string | null => {
  if (!isObject(body)) return null;
  const { approval, run, bulk, entry, item } = body;
  if (body['pending'] === true)
    return `Nothing is done yet: a person has to approve it. Ask ${call('get_approval', approval)} whether somebody has.`;
  if (body['queued'] === true)
    return `The app is offline: it will be done once the app is back. Ask ${call('get_run', run)}, or take it back: ${call('cancel_run', run)}.`;
  if (body['running'] === true)
    return `It goes on in the background. Ask ${call('get_run', run)} until its status is succeeded, failed or unknown.`;
  if (isObject(bulk))
    return `It goes on in the background. Ask ${call('get_bulk', bulk['id'])} until its status is done.`;
  if (isObject(entry) && isObject(item))
    return `It is being sent. ${call('get_item_timeline', item['id'])} shows in the entry ${String(entry['id'])} how that ended.`;
  return null;
};
