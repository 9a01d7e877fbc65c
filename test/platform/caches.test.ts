/** The cache that is bounded by the weight of what it keeps. */
import { expect } from 'chai';
import { createWeighedCache } from '../../shared/platform/caches.ts';

describe('weighed cache', () => {
  it('lets go what was used least recently, until the rest is light enough', () => {
    const cache = createWeighedCache<string>(10);
    cache.set('a', 'A', 4);
    cache.set('b', 'B', 4);
    expect(cache.get('a')).to.equal('A');
    cache.set('c', 'C', 5);
    expect(['a', 'b', 'c'].map((key) => cache.get(key))).to.deep.equal(['A', undefined, 'C']);
    expect(cache.weight).to.equal(9);
    cache.set('c', 'D', 6);
    expect(cache.get('c')).to.equal('D');
    expect(cache.weight).to.equal(10);
    cache.set('e', 'E', 10);
    expect(['a', 'c', 'e'].map((key) => cache.get(key))).to.deep.equal([undefined, undefined, 'E']);
    expect(cache.weight).to.equal(10);
  });

  it('keeps nothing that is too heavy alone, and then what it has', () => {
    const cache = createWeighedCache<string>(10);
    cache.set('a', 'A', 10);
    cache.set('b', 'B', 11);
    expect(cache.get('b')).to.equal(undefined);
    expect(cache.get('a')).to.equal('A');
    cache.set('a', 'B', 11);
    expect(cache.get('a')).to.equal(undefined);
    expect(cache.weight).to.equal(0);
  });
});
