/** Faults as JSON-RPC errors, with the code of the catalogue in `data.code`. Used by requests.ts. */
import { rpcCodes, type RpcError } from '../../shared/applink/protocol.ts';
import { Fault, fault } from '../../shared/catalogue/errors.ts';
import type { Log } from '../../shared/platform/core/log.ts';
import { isDbUnavailable } from '../../shared/platform/db/errors.ts';

/** The first code of the range that JSON-RPC 2.0 reserves for the server (-32000 to -32099). */
const refusedCode = -32000;

const faultOfRequest = (error: unknown, log: Log): Fault => {
  if (error instanceof Fault) return error;
  if (isDbUnavailable(error))
    return fault('unavailable', 'The service is not available right now; try again in a moment.');
  log.error({ err: error }, 'a request of an app failed');
  return fault('internal');
};

export const toAppRpcError = (error: unknown, log: Log): RpcError => {
  const { code, message, status, extra } = faultOfRequest(error, log);
  return {
    code: status === 400 ? rpcCodes.invalidParams : refusedCode,
    message,
    data: { code, ...(extra.details === undefined ? {} : { details: extra.details }) },
  };
};
