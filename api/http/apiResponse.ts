/** The response of an endpoint, before middleware/envelope.ts sends it. */
export interface ApiResponse {
  readonly status: number;
  /** JSON text, or a value that is serialised; undefined for no body. */
  readonly body: string | object | undefined;
  /** A body that is sent as it is, in the content coding of `headers`; `body` is undefined then. */
  readonly bytes?: Buffer;
  readonly etag?: string;
  /** Whether the response has items, and so the offset of the live stream from before they were read. */
  readonly items?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** The token of the session that the client's cookie gets; null clears the cookie. */
  readonly cookie?: string | null;
  /** The token by which the client's browser is known at its next sign-in. */
  readonly browserCookie?: string;
  /** The cookie of a sign-in by the provider that is under way; null clears it. */
  readonly flowCookie?: string | null;
}
