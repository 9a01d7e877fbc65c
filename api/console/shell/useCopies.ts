/** Copying of requests as programs would make them. Used by the palette and the action sheet. */
import { toCurl, toToolCall, type CopiedRequest } from '../wire/copying.ts';
import { useSession } from './session.ts';

interface Copy {
  readonly kind: 'curl' | 'mcp';
  readonly label: string;
  readonly run: () => void;
}

/** Returns a function that returns the ways to copy a request: all as a curl line, those with a tool as its call. */
export const useCopies = (): ((request: CopiedRequest) => readonly Copy[]) => {
  const { environment, notices } = useSession();
  const copy = (text: string, what: string) => (): void => {
    navigator.clipboard.writeText(text).then(
      () => notices.show({ tone: 'done', text: `Copied: ${what}.` }),
      () => notices.show({ tone: 'failed', text: 'This browser does not let the page write to the clipboard.' }),
    );
  };
  return (request) => {
    const curl = toCurl(request, environment);
    const call = toToolCall(request);
    return [
      { kind: 'curl', label: 'Copy as curl', run: copy(curl, 'a curl line, with the token in $CONSOLE_TOKEN') },
      ...(call === null
        ? []
        : [{ kind: 'mcp' as const, label: 'Copy as MCP call', run: copy(call, 'a call of a tool') }]),
    ];
  };
};
