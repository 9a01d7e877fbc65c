/** Rows of the permission matrix about bulks; those of an action stand with the actions. */
import type { Row } from '../columns.ts';

export const bulk: readonly Row[] = [
  //                                        admin oper view clerk none read sup  app  pers gone away
  // Rights of a bulk are checked item by item when it runs; readonly agents change nothing at all.
  ['POST /bulk', 'own', '202  202  202  202  202  403  202  403  202  401  404'],
  ['POST /bulk', 'readOnly', '202  202  202  202  202  403  202  403  202  401  404'],
  ['POST /bulk', 'hidden', '202  202  202  202  202  403  202  403  202  401  404'],
  ['POST /bulk', 'else', '202  202  202  202  202  403  202  403  202  401  404'],
  ['POST /bulk', 'no', '202  202  202  202  202  403  202  403  202  401  404'],
  ['POST /bulk dryRun', 'own', '200  200  200  200  200  403  200  403  200  401  404'],
  ['POST /bulk dryRun', 'hidden', '200  200  200  200  200  403  200  403  200  401  404'],
  ['POST /bulk dryRun', 'no', '200  200  200  200  200  403  200  403  200  401  404'],
  ['POST /bulk query', 'own', '202  202  202  202  404  403  202  403  202  401  404'],
  ['POST /bulk query', 'hidden', '202  202  202  404  404  404  404  403  202  401  404'],
  ['POST /bulk query', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /bulk', '', '200  200  200  200  200  200  200  403  200  401  404'],
  // Visible to its requester and to those who see the audit log; both bulks are finished.
  ['GET /bulk/{id}', 'clerks', '200  404  404  200  404  404  404  403  404  401  404'],
  ['GET /bulk/{id}', 'admins', '200  404  404  404  404  404  404  403  404  401  404'],
  ['GET /bulk/{id}', 'else', '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /bulk/{id}', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /bulk/{id}/results', 'clerks', '200  404  404  200  404  404  404  403  404  401  404'],
  ['GET /bulk/{id}/results', 'admins', '200  404  404  404  404  404  404  403  404  401  404'],
  ['GET /bulk/{id}/results', 'else', '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /bulk/{id}/results', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/cancel', 'clerks', '403  404  404  409  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/cancel', 'admins', '409  404  404  404  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/cancel', 'else', '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/cancel', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/undo', 'clerks', '202  404  404  202  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/undo', 'admins', '202  404  404  404  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/undo', 'else', '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/undo', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
];
