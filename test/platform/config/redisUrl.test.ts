/** REDIS_URL: a single server or a cluster, and a start that stops with an example when it is neither. */
import { expect } from 'chai';
import { readConfig } from '../../../shared/platform/config/config.ts';
import { parseClusterUrl } from '../../../shared/platform/config/configValues.ts';

const read = (url: string): string => readConfig({ DATABASE_URL: 'postgres://a@b/c', REDIS_URL: url }).redisUrl;

describe('the address of Redis', () => {
  it('is a single server’s or a cluster’s', () => {
    for (const url of [
      'redis://127.0.0.1:6379',
      'rediss://name:word@redis.example.com/2',
      'redis-cluster://a:1,b:2,c:3',
      'rediss-cluster://endpoint.example.com',
    ]) {
      expect(read(url)).to.equal(url);
      expect(parseClusterUrl(url) === null).to.equal(!url.includes('-cluster:'));
    }
  });

  it('of a cluster names nodes, a password and whether it is reached by TLS', () => {
    expect(parseClusterUrl('redis-cluster://10.0.0.1:7000,redis-2.example.com,[::1]:7002')).to.deep.equal({
      nodes: [
        { host: '10.0.0.1', port: 7000 },
        { host: 'redis-2.example.com', port: 6379 },
        { host: '::1', port: 7002 },
      ],
      username: undefined,
      password: undefined,
      tls: false,
    });
    expect(parseClusterUrl('rediss-cluster://console:p%40ss:w@a,b/')).to.deep.equal({
      nodes: [
        { host: 'a', port: 6379 },
        { host: 'b', port: 6379 },
      ],
      username: 'console',
      password: 'p@ss:w',
      tls: true,
    });
    expect(parseClusterUrl('redis-cluster://:only@a')).to.deep.include({ username: undefined, password: 'only' });
  });

  it('stops the start with an example when it is anything else', () => {
    const wrong = [
      '127.0.0.1:6379',
      'redis://a:1,b:2',
      'http://a',
      'redis-cluster://',
      'redis-cluster://a:0',
      'redis-cluster://a:65536',
      'redis-cluster://a,,b',
      'redis-cluster://a/1',
      'redis-cluster://%@a',
      'redis-cluster://a b',
    ];
    for (const url of wrong)
      expect(() => read(url), url).to.throw(/^REDIS_URL is not valid\. Example: REDIS_URL=redis:.* redis-cluster:/);
  });
});
