/** A word on a role that changes while its page is open: controls come and go with it. Used by Shell. */
import { useEffect, useRef } from 'react';
import type { Me } from '../wire/types.ts';
import type { Notices } from './notices.ts';

export const useRoleNotice = ({ role }: Me, notices: Notices): void => {
  const known = useRef(role);
  useEffect(() => {
    const before = known.current;
    known.current = role;
    if (JSON.stringify(before) === JSON.stringify(role)) return;
    const what =
      role?.id === before?.id
        ? `Your role ${role?.name ?? ''} has been changed.`
        : `Your role is ${role?.name ?? 'none'} now.`;
    notices.show({
      tone: 'failed',
      text: `${what} What you may see and do here is different; what you typed is kept.`,
    });
  }, [role, notices]);
};
