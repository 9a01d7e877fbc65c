/** An answer of an endpoint, before it is sent. */
export interface ApiResponse {
  readonly status: number;
  /** JSON text, or a value to be made into it; undefined for no body. */
  readonly body: string | object | undefined;
  readonly etag?: string;
  /** Whether the answer carries items, and so the stream's position from before it was read. */
  readonly items?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** The session that the client's cookie holds from now on; null: none any more. */
  readonly cookie?: string | null;
}
