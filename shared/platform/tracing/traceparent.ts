/** The header `traceparent` of W3C Trace Context (https://www.w3.org/TR/trace-context). Used by openTracer.ts. */

interface TraceContext {
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

/** Versions above 00 may have more behind the flags; ff is none. */
const form = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.{0,200})?$/;
/** The one flag that is known. */
const sampledFlag = 1;

/** Returns what a traceparent says; null for one that is not valid, which counts as none. */
export const parseTraceparent = (text: string): (TraceContext & { readonly isRemote: true }) | null => {
  const [, version, traceId = '', spanId = '', flags = '', more] = form.exec(text) ?? [];
  if (version === undefined || (version === '00' && more !== undefined)) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & sampledFlag, isRemote: true };
};

export const formatTraceparent = ({ traceId, spanId, traceFlags }: TraceContext): string =>
  `00-${traceId}-${spanId}-0${String(traceFlags & sampledFlag)}`;
