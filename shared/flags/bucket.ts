/**
 * The bucket of a record id among the 100,000 of a flag: MurmurHash3 (x86, 32 bit, seed 0, by Austin Appleby) of the
 * UTF-8 bytes of "<flag>:<record id>". The hash of the flag's part is computed once per flag; an evaluation adds the
 * bytes of the id. Used by evaluate.ts.
 */

const bucketCount = 100_000;

const mixBlock = (hash: number, block: number): number => {
  const k = Math.imul(block, 0xcc9e2d51);
  const h = hash ^ Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  return (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
};

const finish = (hash: number, block: number, length: number): number => {
  const k = Math.imul(block, 0xcc9e2d51);
  let h = hash ^ Math.imul((k << 15) | (k >>> 17), 0x1b873593) ^ length;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
};

const encoder = new TextEncoder();

/** Returns the function that computes the bucket of a record id, 0 to 99,999. */
export const createBucketer = (flag: string): ((id: string) => number) => {
  const head = encoder.encode(`${flag}:`);
  let headHash = 0;
  let headBlock = 0;
  let headShift = 0;
  for (const byte of head) {
    headBlock |= byte << headShift;
    headShift += 8;
    if (headShift < 32) continue;
    headHash = mixBlock(headHash, headBlock);
    headBlock = headShift = 0;
  }

  const ofBytes = (bytes: Uint8Array): number => {
    let [hash, block, shift] = [headHash, headBlock, headShift];
    for (const byte of bytes) {
      block |= byte << shift;
      shift += 8;
      if (shift < 32) continue;
      hash = mixBlock(hash, block);
      block = shift = 0;
    }
    return finish(hash, block, head.length + bytes.length) % bucketCount;
  };

  return (id) => {
    let hash = headHash;
    let block = headBlock;
    let shift = headShift;
    // Most ids are ASCII, whose characters are their bytes: four at a time.
    const whole = id.length & ~3;
    for (let i = 0; i < whole; i += 4) {
      const [a, b, c, d] = [id.charCodeAt(i), id.charCodeAt(i + 1), id.charCodeAt(i + 2), id.charCodeAt(i + 3)];
      if ((a | b | c | d) > 0x7f) return ofBytes(encoder.encode(id));
      const word = a | (b << 8) | (c << 16) | (d << 24);
      hash = mixBlock(hash, block | (word << shift));
      block = shift === 0 ? 0 : word >>> (32 - shift);
    }
    for (let i = whole; i < id.length; i++) {
      const code = id.charCodeAt(i);
      if (code > 0x7f) return ofBytes(encoder.encode(id));
      block |= code << shift;
      shift += 8;
      if (shift < 32) continue;
      hash = mixBlock(hash, block);
      block = shift = 0;
    }
    return finish(hash, block, head.length + id.length) % bucketCount;
  };
};
