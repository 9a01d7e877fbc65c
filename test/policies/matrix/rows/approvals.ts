/** Rows of the permission matrix about approvals. */
import type { Row } from '../columns.ts';

export const approvals: readonly Row[] = [
  //                                        admin oper view clerk none read sup  app  pers gone away
  // Visible to the requester, and with `approvals: see`, which the clerk has, to those who see the target. Only persons
  // decide, which is checked before any id, and only the requester withdraws a request.
  ['GET /approvals', '', '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /approvals/{id}', 'sups', '200  200  404  200  404  200  200  403  200  401  404'],
  ['GET /approvals/{id}', 'admins', '200  200  404  200  404  200  200  403  200  401  404'],
  ['GET /approvals/{id}', 'hidden', '200  200  404  404  404  404  404  403  200  401  404'],
  ['GET /approvals/{id}', 'bulks', '200  200  404  404  404  404  404  403  200  401  404'],
  ['GET /approvals/{id}', 'else', '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /approvals/{id}', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /approvals/{id}/approve', 'sups', '403  403  403  403  403  403  403  403  200  401  404'],
  ['POST /approvals/{id}/approve', 'admins', '403  403  403  403  403  403  403  403  200  401  404'],
  ['POST /approvals/{id}/approve', 'hidden', '403  403  403  403  403  403  403  403  200  401  404'],
  ['POST /approvals/{id}/approve', 'persons', '403  403  403  403  403  403  403  403  403  401  404'],
  ['POST /approvals/{id}/approve', 'else', '403  403  403  403  403  403  403  403  404  401  404'],
  ['POST /approvals/{id}/approve', 'no', '403  403  403  403  403  403  403  403  404  401  404'],
  ['POST /approvals/{id}/reject', 'sups', '403  403  403  403  403  403  403  403  200  401  404'],
  ['POST /approvals/{id}/reject', 'admins', '403  403  403  403  403  403  403  403  200  401  404'],
  ['POST /approvals/{id}/reject', 'hidden', '403  403  403  403  403  403  403  403  200  401  404'],
  ['POST /approvals/{id}/reject', 'persons', '403  403  403  403  403  403  403  403  403  401  404'],
  ['POST /approvals/{id}/reject', 'else', '403  403  403  403  403  403  403  403  404  401  404'],
  ['POST /approvals/{id}/reject', 'no', '403  403  403  403  403  403  403  403  404  401  404'],
  // Every caller who sees a request may comment on it, supervised agents too. Read-only agents may not.
  ['POST /approvals/{id}/comments', 'sups', '201  201  404  201  404  403  201  403  201  401  404'],
  ['POST /approvals/{id}/comments', 'admins', '201  201  404  201  404  403  201  403  201  401  404'],
  ['POST /approvals/{id}/comments', 'hidden', '201  201  404  404  404  404  404  403  201  401  404'],
  ['POST /approvals/{id}/comments', 'else', '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /approvals/{id}/comments', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
  // Any agent may ask, whatever it sees, about items that it sees; any person may answer what they see.
  ['POST /questions', '', '202  202  202  202  202  403  202  403  403  401  404'],
  ['POST /questions item', 'own', '202  202  202  202  404  403  202  403  403  401  404'],
  ['POST /questions item', 'hidden', '202  202  202  404  404  403  404  403  403  401  404'],
  ['POST /questions item', 'else', '404  404  404  404  404  403  404  403  403  401  404'],
  ['POST /questions item', 'no', '404  404  404  404  404  403  404  403  403  401  404'],
  ['POST /approvals/{id}/answer', 'asked', '403  403  403  403  403  403  403  403  200  401  404'],
  ['POST /approvals/{id}/answer', 'admins', '403  403  403  403  403  403  403  403  409  401  404'],
  ['POST /approvals/{id}/answer', 'else', '403  403  403  403  403  403  403  403  404  401  404'],
  ['POST /approvals/{id}/answer', 'no', '403  403  403  403  403  403  403  403  404  401  404'],
  ['POST /approvals/decide', '', '403  403  403  403  403  403  403  403  200  401  404'],
  ['POST /approvals/{id}/cancel', 'sups', '403  403  404  403  404  403  200  403  403  401  404'],
  ['POST /approvals/{id}/cancel', 'admins', '200  403  404  403  404  403  403  403  403  401  404'],
  ['POST /approvals/{id}/cancel', 'hidden', '200  403  404  404  404  404  404  403  403  401  404'],
  ['POST /approvals/{id}/cancel', 'persons', '403  403  404  403  404  403  403  403  200  401  404'],
  ['POST /approvals/{id}/cancel', 'else', '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /approvals/{id}/cancel', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
];
