/** Copying of requests as programs would make them. Used by the palette and the action sheet. */
import { toCurl, toToolCall, type CopiedRequest } from '../wire/copying.ts';
import { copyTexts } from './copyTexts.ts';
import { useSession } from './session.ts';

interface Copy {
  readonly kind: 'curl' | 'mcp';
  readonly label: string;
  readonly run: () => void;
}

/** Returns a function that returns the ways to copy a request: all as a curl line, those with a tool as its call. */
export const useCopies = (): ((request: CopiedRequest) => readonly Copy[]) => {
  const { environment, notices } = useSession();
  const copy = (text: string, copied: string) => (): void => {
    navigator.clipboard.writeText(text).then(
      () => notices.show({ tone: 'done', text: copied }),
      () => notices.show({ tone: 'failed', text: copyTexts.refused }),
    );
  };
  return (request) => {
    const curl = toCurl(request, environment);
    const call = toToolCall(request);
    return [
      { kind: 'curl', label: copyTexts.asCurl, run: copy(curl, copyTexts.copiedCurl) },
      ...(call === null
        ? []
        : [{ kind: 'mcp' as const, label: copyTexts.asCall, run: copy(call, copyTexts.copiedCall) }]),
    ];
  };
};
