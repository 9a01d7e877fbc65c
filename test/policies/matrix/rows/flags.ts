/** Rows of the permission matrix about flags, and their evaluation. */
import type { Row } from '../columns.ts';

export const flags: readonly Row[] = [
  //                                        admin oper view clerk none read sup  app  pers gone away
  // Evaluating is no change. A supervised agent requests an approval.
  ['GET /flags', '', '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /flags/{flag}', 'own', '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /flags/{flag}', 'readOnly', '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /flags/{flag}', 'hidden', '200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /flags/{flag}', 'else', '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /flags/{flag}', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /flags/{flag}/history', 'own', '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /flags/{flag}/history', 'readOnly', '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /flags/{flag}/history', 'hidden', '200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /flags/{flag}/history', 'else', '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /flags/{flag}/history', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /flags/{flag}', 'own', '200  200  403  200  404  403  202  403  200  401  404'],
  ['POST /flags/{flag}', 'readOnly', '200  200  403  403  404  403  403  403  200  401  404'],
  ['POST /flags/{flag}', 'hidden', '200  200  403  404  404  404  404  403  200  401  404'],
  ['POST /flags/{flag}', 'else', '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /flags/{flag}', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /flags/{flag} dryRun', 'own', '200  200  403  200  404  403  200  403  200  401  404'],
  ['POST /flags/{flag} dryRun', 'readOnly', '200  200  403  403  404  403  403  403  200  401  404'],
  ['POST /flags/{flag} dryRun', 'hidden', '200  200  403  404  404  404  404  403  200  401  404'],
  ['POST /flags/{flag} dryRun', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /ofrep/v1/evaluate/flags', '', '200  200  200  200  200  200  200  200  200  401  404'],
  ['POST /ofrep/v1/evaluate/flags/{flag}', 'own', '200  200  200  200  404  200  200  200  200  401  404'],
  ['POST /ofrep/v1/evaluate/flags/{flag}', 'readOnly', '200  200  200  200  404  200  200  200  200  401  404'],
  ['POST /ofrep/v1/evaluate/flags/{flag}', 'hidden', '200  200  200  404  404  404  404  200  200  401  404'],
  ['POST /ofrep/v1/evaluate/flags/{flag}', 'else', '404  404  404  404  404  404  404  404  404  401  404'],
  ['POST /ofrep/v1/evaluate/flags/{flag}', 'no', '404  404  404  404  404  404  404  404  404  401  404'],
];
