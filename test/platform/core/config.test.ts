/** Configuration by environment variables: read at once, and a clear line for each bad one. */
import { expect } from 'chai';
import { readConfig } from '../../../shared/platform/core/config.ts';

const good = { DATABASE_URL: 'postgres://a@b/c', REDIS_URL: 'redis://127.0.0.1:6379' };
const problemsOf = (env: NodeJS.ProcessEnv): string[] => {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    return error instanceof Error ? error.message.split('\n') : [];
  }
};

describe('the configuration', () => {
  it('is told what is wrong with each bad variable, by its name and with an example', () => {
    expect(problemsOf({ REDIS_URL: 'nowhere', PORT: '70000', LOG_LEVEL: 'loud' })).to.have.length(4);
    expect(problemsOf({ ...good, PORT: 'x', RATE_LIMIT: '0' })).to.deep.equal([
      'PORT is not valid. Example: PORT=3000',
      'RATE_LIMIT is not valid. Example: RATE_LIMIT=100',
    ]);
    for (const name of [
      'POOL_SIZE',
      'RATE_BURST',
      'LIVE_PER_TOKEN',
      'TRUST_PROXY',
      'PROBE_PORT',
      'PROBE_NETWORKS',
      'WORKER_PORT',
      'SMTP_URL',
      'PUBLIC_URL',
      'HOST',
      'REDIS_PREFIX',
      'DRAIN_MS',
      'APPROVAL_MS',
      'FLAG_APPROVAL_MS',
    ]) {
      const [problem = '', ...others] = problemsOf({ ...good, [name]: 'not a value' });
      expect(problem).to.match(new RegExp(`^${name} is not valid(: it takes [^.]+)?\\. Example: ${name}=`));
      expect(others).to.deep.equal([]);
    }
  });

  it('takes as proxies a number of them or their networks, and nothing that only looks like one', () => {
    const trusts = (value: string, address: string, hop: number): boolean | undefined =>
      readConfig({ ...good, TRUST_PROXY: value }).trustProxy?.(address, hop);
    expect(readConfig(good).trustProxy).to.equal(null);
    expect(readConfig({ ...good, TRUST_PROXY: '0' }).trustProxy).to.equal(null);
    expect([0, 1, 2].map((hop) => trusts('2', '198.51.100.7', hop))).to.deep.equal([true, true, false]);
    const list = '10.0.0.0/8, fd00::/8,192.0.2.1,loopback';
    for (const address of ['10.1.2.3', 'fd12::1', '192.0.2.1', '127.0.0.5', '::1'])
      expect(trusts(list, address, 0), address).to.equal(true);
    for (const address of ['11.0.0.1', 'fe80::1', '192.0.2.2', 'unknown', ''])
      expect(trusts(list, address, 0), address).to.equal(false);
    for (const value of [
      '33',
      '-1',
      '1.5',
      'true',
      'yes',
      '10.0.0.0/33',
      '10.0.0.0/0',
      '10.0.0',
      '10.0.0.0/8,',
      '*',
      'proxy.local',
      '0x7f000001',
      '10.0.0.0/8;fd00::/8',
    ])
      expect(problemsOf({ ...good, TRUST_PROXY: value }), value).to.deep.equal([
        'TRUST_PROXY is not valid: it takes the number of proxies in front (0 to 32), or their addresses and networks. Example: TRUST_PROXY=1, or TRUST_PROXY=10.0.0.0/8,fd00::/8',
      ]);
  });

  it('says how long approvals are open; by default what the contract has', () => {
    expect(readConfig(good)).to.include({ approvalMs: null, flagApprovalMs: null });
    expect(readConfig({ ...good, APPROVAL_MS: '3600000', FLAG_APPROVAL_MS: '2592000000' })).to.include({
      approvalMs: 3_600_000,
      flagApprovalMs: 2_592_000_000,
    });
    expect(problemsOf({ ...good, APPROVAL_MS: '59999', FLAG_APPROVAL_MS: '1e9' })).to.have.length(2);
  });
});
