/** What a page keeps in memory, by the browser's devtools. Used by tests of the console and test/bench. */
import type { CDPSession } from 'playwright-core';

/** Returns the bytes of a page's heap that are in use when all garbage is collected. */
export const usedHeap = async (devtools: CDPSession): Promise<number> => {
  for (let round = 0; round < 3; round++) await devtools.send('HeapProfiler.collectGarbage');
  return (await devtools.send('Runtime.getHeapUsage')).usedSize;
};

/** Returns how many objects a page keeps, arrays among them, functions not: a page loads more code whenever it is idle. */
export const countObjects = async (devtools: CDPSession): Promise<number> => {
  const objectGroup = 'count';
  const { result } = await devtools.send('Runtime.evaluate', { expression: 'Object.prototype', objectGroup });
  const { objects } = await devtools.send('Runtime.queryObjects', {
    prototypeObjectId: result.objectId ?? '',
    objectGroup,
  });
  const { result: length } = await devtools.send('Runtime.callFunctionOn', {
    objectId: objects.objectId ?? '',
    functionDeclaration: `function () { return this.filter((each) => typeof each !== 'function').length; }`,
    returnByValue: true,
  });
  await devtools.send('Runtime.releaseObjectGroup', { objectGroup });
  return Number(length.value);
};
