/** The page on which a window opened for the provider ends: it tells the page that waits, and closes itself. */
import { useEffect, useState } from 'react';
import { laterTexts } from './laterTexts.ts';
import { explain, problemOfAddress, signInChannel } from './providerSignIn.ts';

export const SignedIn = () => {
  const [text, setText] = useState(laterTexts.signedIn.done);
  useEffect(() => {
    const channel = new BroadcastChannel(signInChannel);
    channel.postMessage(problemOfAddress);
    channel.close();
    if (problemOfAddress === null) window.close();
    else void explain(problemOfAddress).then(setText);
  }, []);
  return (
    <main className="empty">
      <h1>{laterTexts.signedIn.title}</h1>
      <p role="status">{text}</p>
    </main>
  );
};
