/** Sign-in and sign-out as the other tabs of the browser hear of them: all have one session. Used by Shell and SignIn. */
import { useEffect } from 'react';

const channelName = 'console.session';

/** Sends the other tabs word that somebody has signed in or out here. */
export const tellOtherTabs = (): void => {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage(null);
  channel.close();
};

/** Calls `onChange` when somebody has signed in or out in another tab. */
export const useOtherTabs = (onChange: () => void): void => {
  useEffect(() => {
    const channel = new BroadcastChannel(channelName);
    channel.addEventListener('message', onChange);
    return () => channel.close();
  }, [onChange]);
};
