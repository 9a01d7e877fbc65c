/** Waiting for a time, where there is no signal to wait for: between tries, and as long as a fault lasts. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** Does `work` over and over until `isOver`, with `everyMs` after each time. */
export const repeat = async (
  everyMs: number,
  isOver: () => boolean,
  work: (n: number) => Promise<void>,
): Promise<void> => {
  for (let n = 0; !isOver(); n++) {
    await work(n);
    await pause(everyMs);
  }
};
