/** The plan of the load generator (programs/load.ts), and its result. */

export interface Changed {
  readonly id: string;
  /** The states that the item goes through, over and over; it is in the last one. */
  readonly states: readonly string[];
}

/** Which requests are sent, one after the other. */
export type Requests =
  | { readonly kind: 'texts'; readonly texts: readonly string[] }
  | {
      readonly kind: 'states';
      /** The request's text before and after the id, without content-length and body. */
      readonly before: string;
      readonly after: string;
      readonly items: readonly Changed[];
      /** Whether each request has an idempotency key. */
      readonly keys: boolean;
    };

export interface Plan {
  readonly port: number;
  readonly connections: number;
  readonly warmupMs: number;
  readonly ms: number;
  readonly requests: Requests;
  /** Requests a second, spread evenly; absent: each connection sends as soon as it has its answer. */
  readonly perSecond?: number;
}

export interface Measured {
  readonly perSecond: number;
  /** Milliseconds from request to answer. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Requests answered, the warm-up's too. */
  readonly count: number;
}

/** When a subscriber received changes, in ms after they were sent, and after they were answered. */
export interface Heard {
  readonly sentP50: number;
  readonly sentP99: number;
  readonly answeredP50: number;
  readonly answeredP99: number;
  /** Changes that it did not receive. */
  readonly missed: number;
}
