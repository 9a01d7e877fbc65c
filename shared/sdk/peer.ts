/** The app's end of a JSON-RPC 2.0 connection (https://www.jsonrpc.org/specification); link.ts makes one for each socket. */
import { rpcCodes, type AppCalls, type AppMethod, type AppNotifications, type RpcError } from '../app/link/protocol.ts';
import { cleanJson, encodeFrame, frameProblem } from './frames.ts';
import { NoAnswer, RpcFailed, type LinkProblem } from './problems.ts';

export type RpcAnswer = { readonly result: unknown } | { readonly error: RpcError };

export interface PeerOptions {
  readonly send: (frame: string) => void;
  /** Answers a request of the service; never rejects. */
  readonly serve: (method: string, params: unknown, peer: Peer) => Promise<RpcAnswer>;
  readonly onNotification: (method: string, params: unknown) => void;
  /** Called when the answer to a request can't be sent, with the reason. */
  readonly onUnsendable: (method: string, params: unknown, problem: LinkProblem['details'][number]) => void;
}

interface PendingRequest {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** Requests whose texts are for people: one is sent without what can't be stored rather than refused for it, as answers and notifications are. */
const cleaned: ReadonlySet<AppMethod> = new Set(['items.report', 'run.answers']);

const unsendableError: RpcError = {
  code: rpcCodes.internalError,
  message: 'The app’s answer is no JSON or larger than 4 MiB.',
};

/** An object of JSON: neither null nor a list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isRpcError = (value: unknown): value is RpcError =>
  isObject(value) && typeof value['code'] === 'number' && typeof value['message'] === 'string';

/** One connection: sends requests and notifications, and answers those of the service. */
export class Peer {
  readonly #parts: PeerOptions;
  readonly #waiting = new Map<number, PendingRequest>();
  #lastId = 0;
  #ended = false;

  constructor(parts: PeerOptions) {
    this.#parts = parts;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Resolves with the service's result. Rejects with `RpcFailed`, or with `NoAnswer` after `timeoutMs` or the connection's end. */
  request<M extends AppMethod>(
    method: M,
    params: AppCalls[M]['params'],
    timeoutMs: number,
  ): Promise<AppCalls[M]['result']> {
    const id = ++this.#lastId;
    const frame = encodeFrame({ id, method, params });
    if (frame === undefined)
      return Promise.reject(
        new RpcFailed({ code: rpcCodes.invalidParams, message: `${method} is no JSON or larger than 4 MiB.` }),
      );
    if (this.#ended) return Promise.reject(new NoAnswer());
    const answer = new Promise<AppCalls[M]['result']>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new NoAnswer());
      }, timeoutMs);
      this.#waiting.set(id, {
        resolve: (result) => {
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service answers by the protocol
          resolve(result as AppCalls[M]['result']);
        },
        reject,
        timer,
      });
    });
    this.#parts.send(cleaned.has(method) ? cleanJson(frame) : frame);
    return answer;
  }

  notify<M extends keyof AppNotifications>(method: M, params: AppNotifications[M]): void {
    const frame = encodeFrame({ method, params });
    if (frame !== undefined && !this.#ended) this.#parts.send(cleanJson(frame));
  }

  /** Handles a frame of the service. Ignores messages of an unknown form, as the service may be newer than the SDK. */
  receive(frame: string): void {
    let message: unknown;
    try {
      message = JSON.parse(frame);
    } catch {
      return;
    }
    if (!isObject(message)) return;
    const { id, method, params } = message;
    if (typeof method !== 'string') this.#settle(message);
    else if (id === undefined) this.#parts.onNotification(method, params);
    else void this.#answer(id, method, params);
  }

  /** Ends the connection's work: rejects every pending request with `NoAnswer`. */
  end(): void {
    this.#ended = true;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject, timer } of waiting) {
      clearTimeout(timer);
      reject(new NoAnswer());
    }
  }

  async #answer(id: unknown, method: string, params: unknown): Promise<void> {
    const answer = await this.#parts.serve(method, isObject(params) ? params : {}, this);
    if (this.#ended) return;
    const frame = encodeFrame({ id, ...answer });
    if (frame === undefined) {
      const result = 'result' in answer ? answer.result : null;
      this.#parts.onUnsendable(method, params, frameProblem({ id, ...answer }, result));
    }
    this.#parts.send(frame === undefined ? (encodeFrame({ id, error: unsendableError }) ?? '') : cleanJson(frame));
  }

  #settle({ id, result, error }: Readonly<Record<string, unknown>>): void {
    if (typeof id !== 'number') return;
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    if (error === undefined) waiting.resolve(result);
    else
      waiting.reject(
        new RpcFailed(isRpcError(error) ? error : { code: rpcCodes.internalError, message: 'The service failed.' }),
      );
  }
}
