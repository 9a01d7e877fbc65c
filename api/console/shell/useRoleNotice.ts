/** A word on a role that changes while its page is open: controls come and go with it. Used by Shell. */
import { useEffect, useRef } from 'react';
import type { Me } from '../wire/types.ts';
import type { Notices } from './notices.ts';
import { shellTexts } from './texts.ts';

export const useRoleNotice = ({ role }: Me, notices: Notices): void => {
  const known = useRef(role);
  useEffect(() => {
    const before = known.current;
    known.current = role;
    if (JSON.stringify(before) === JSON.stringify(role)) return;
    const text =
      role === null
        ? shellTexts.roleIsNone
        : role.id === before?.id
          ? shellTexts.roleChanged(role.name)
          : shellTexts.roleIs(role.name);
    notices.show({ tone: 'failed', text });
  }, [role, notices]);
};
