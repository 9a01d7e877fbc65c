/** Waiting for a time, where there is no signal to wait for: between tries, and as long as a fault lasts. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
