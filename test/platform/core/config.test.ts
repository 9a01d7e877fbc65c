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
      'SMTP_URL',
      'PUBLIC_URL',
      'HOST',
      'REDIS_PREFIX',
      'DRAIN_MS',
      'APPROVAL_MS',
      'FLAG_APPROVAL_MS',
    ]) {
      const [problem = '', ...others] = problemsOf({ ...good, [name]: 'not a value' });
      expect(problem).to.match(new RegExp(`^${name} is not valid\\. Example: ${name}=`));
      expect(others).to.deep.equal([]);
    }
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
