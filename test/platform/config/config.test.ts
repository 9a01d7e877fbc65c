/** Configuration by environment variables: read at once, and a clear line for each bad one. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../../../shared/platform/config/config.ts';

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
      'PORT is not valid: it takes a whole number from 0 to 65535. Example: PORT=3000',
      'RATE_LIMIT is not valid: it takes a whole number from 1 to 1000000. Example: RATE_LIMIT=100',
    ]);
    for (const name of [
      'POOL_SIZE',
      'RATE_BURST',
      'LIVE_PER_TOKEN',
      'TRUST_PROXY',
      'OFREP_ORIGINS',
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

  it('says the least that a number may be', () => {
    expect(problemsOf({ ...good, POOL_SIZE: '1' })).to.deep.equal([
      'POOL_SIZE is not valid: it takes a whole number from 2 to 100. Example: POOL_SIZE=6',
    ]);
  });

  it('names verify-full for the modes that are it, so that Node prints no warning', () => {
    const read = (query: string): string =>
      readConfig({ ...good, DATABASE_URL: `postgres://a@db/x${query}` }).databaseUrl;
    for (const mode of ['require', 'prefer', 'verify-ca', 'verify-full']) {
      expect(read(`?sslmode=${mode}`)).to.equal('postgres://a@db/x?sslmode=verify-full');
      expect(read(`?a=1&sslmode=${mode}&b=2`)).to.equal('postgres://a@db/x?a=1&sslmode=verify-full&b=2');
    }
    for (const query of ['', '?sslmode=no-verify', '?sslmode=disable', '?uselibpqcompat=true&sslmode=require'])
      expect(read(query)).to.equal(`postgres://a@db/x${query}`);
  });

  it('takes as origins what browsers send, and nothing with a path', () => {
    const read = (value: string) => readConfig({ ...good, OFREP_ORIGINS: value }).ofrepOrigins;
    expect(readConfig(good).ofrepOrigins).to.deep.equal([]);
    expect(read('https://Shop.example.com:443, http://localhost:5173/')).to.deep.equal([
      'https://shop.example.com',
      'http://localhost:5173',
    ]);
    for (const value of ['*', 'shop.example.com', 'https://a.example/x', 'https://a.example,', 'https://u@a.example'])
      expect(problemsOf({ ...good, OFREP_ORIGINS: value }), value).to.have.length(1);
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

  it('sends traces where it is told, under the names that OpenTelemetry gives its variables', () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/' };
    expect(readConfig(good)).to.include({ tracing: null, accessLog: false });
    expect(readConfig({ ...good, OTEL_TRACES_SAMPLER: 'what is not read' }).tracing).to.equal(null);
    expect(readConfig({ ...good, ...endpoint }).tracing).to.deep.equal({
      endpoint: 'http://127.0.0.1:4318/v1/traces',
      headers: {},
      sampler: 'parentbased_always_on',
      ratio: 1,
      serviceName: null,
    });
    expect(
      readConfig({
        ...good,
        ...endpoint,
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a%2Cb, x-tenant = 7',
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.25',
        OTEL_SERVICE_NAME: 'shop',
        ACCESS_LOG: 'on',
      }),
    ).to.deep.include({
      accessLog: true,
      tracing: {
        endpoint: 'http://127.0.0.1:4318/v1/traces',
        headers: { authorization: 'Bearer a,b', 'x-tenant': '7' },
        sampler: 'parentbased_traceidratio',
        ratio: 0.25,
        serviceName: 'shop',
      },
    });
    for (const [name, value] of [
      ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://127.0.0.1'],
      ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://name:password@127.0.0.1'],
      ['OTEL_EXPORTER_OTLP_HEADERS', 'no pair'],
      ['OTEL_EXPORTER_OTLP_HEADERS', 'x=%zz'],
      ['OTEL_TRACES_SAMPLER', 'sometimes'],
      ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
      ['OTEL_SERVICE_NAME', 'two words'],
      ['ACCESS_LOG', 'yes'],
    ] as const) {
      const problems = problemsOf({ ...good, ...endpoint, [name]: value });
      expect(problems, value).to.have.length(1);
      expect(problems[0]).to.match(new RegExp(`^${name} is not valid(: it takes .+)?\\. Example: ${name}=`));
      expect(problems[0]).not.to.include(value);
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

  it('says for how many days results of bulks are kept, 0 for ever', () => {
    expect(readConfig(good)).to.include({ bulkResultsDays: 90 });
    for (const days of [0, 8, 36_500])
      expect(readConfig({ ...good, BULK_RESULTS_DAYS: String(days) })).to.include({ bulkResultsDays: days });
    for (const days of ['7', '36501', '1e2', '-1'])
      expect(problemsOf({ ...good, BULK_RESULTS_DAYS: days })[0]).to.match(/takes 0 for ever, or 8 to 36500 days/);
  });

  describe('of OpenID Connect', () => {
    const provider = {
      ...good,
      OIDC_ISSUER: 'https://login.example.com',
      OIDC_CLIENT_ID: 'console',
      OIDC_CLIENT_SECRET: 'secret',
    };
    const mapping = [{ group: 'ops', role: 'operator', environments: ['production'] }];

    it('is off by default, and needs no more than issuer, client and secret', () => {
      expect(readConfig(good)).to.include({ openId: null, passwordSignIn: true });
      expect(readConfig(provider).openId).to.deep.equal({
        issuer: 'https://login.example.com',
        clientId: 'console',
        clientSecret: 'secret',
        clientAuth: 'basic',
        scopes: 'openid email profile',
        label: 'single sign-on',
        verifiedClaim: 'email_verified',
        groupsClaim: 'groups',
        groups: null,
        createsPeople: false,
      });
      const more = { OIDC_GROUPS: JSON.stringify(mapping), OIDC_NEW_PEOPLE: 'create', PASSWORD_SIGN_IN: 'off' };
      const config = readConfig({ ...provider, ...more });
      expect(config.openId).to.deep.include({ groups: mapping, createsPeople: true });
      expect(config.passwordSignIn).to.equal(false);
    });

    it('tells all that is missing or wrong at once', () => {
      expect(problemsOf({ ...good, OIDC_LABEL: 'Login' })).to.deep.equal([
        'OIDC_ISSUER is missing. Example: OIDC_ISSUER=https://login.example.com',
        'OIDC_CLIENT_ID is missing. Example: OIDC_CLIENT_ID=console',
        'OIDC_CLIENT_SECRET is missing. Example: OIDC_CLIENT_SECRET=the secret that the provider shows',
      ]);
      expect(problemsOf({ ...good, PASSWORD_SIGN_IN: 'off' })).to.deep.equal([
        'PASSWORD_SIGN_IN is not valid: it takes on, or off where OIDC_ISSUER is set. Example: PASSWORD_SIGN_IN=on',
      ]);
      for (const [name, values] of Object.entries({
        OIDC_ISSUER: ['login.example.com', 'http://login.example.com', 'https://a@b.example', 'https://a.example/?x=1'],
        OIDC_CLIENT_AUTH: ['jwt'],
        OIDC_SCOPES: ['email', 'openidx', 'openid  email'],
        OIDC_LABEL: ['two\nlines', 'x'.repeat(61)],
        OIDC_GROUPS_CLAIM: ['two words'],
        OIDC_VERIFIED_CLAIM: ['two words'],
        OIDC_GROUPS: [
          'ops',
          '[]',
          '{}',
          '[{"group":"ops","role":"operator"}]',
          '[{"group":"ops","role":"operator","environments":[]}]',
          '[{"group":"ops","role":"operator","environments":["a"],"more":1}]',
        ],
        OIDC_NEW_PEOPLE: ['yes', 'create'],
      }))
        for (const value of values) {
          const [problem = '', ...others] = problemsOf({ ...provider, [name]: value });
          expect(problem, value).to.match(new RegExp(`^${name} is not valid(: it takes .+)?\\. Example: ${name}=`));
          expect(others).to.deep.equal([]);
        }
    });

    it('takes a provider on this machine without TLS', () => {
      expect(readConfig({ ...provider, OIDC_ISSUER: 'http://localhost:9000' }).openId).to.deep.include({
        issuer: 'http://localhost:9000',
      });
    });
  });

  describe('of secrets in files', () => {
    const values = {
      DATABASE_URL: 'postgres://app:pass-word-1@b/c',
      MIGRATE_DATABASE_URL: 'postgres://owner:pass-word-2@b/c',
      REDIS_URL: 'rediss://:pass-word-3@b:6379',
      SMTP_URL: 'smtps://mailer:pass-word-4@mail.example.com:465',
      OIDC_CLIENT_SECRET: 'pass-word-5 ',
    };
    const names = Object.keys(values) as (keyof typeof values)[];
    const provider = { OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'console' };
    const all = { ...values, ...provider };
    let folder: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'secret-'));
    });
    after(() => rm(folder, { recursive: true }));

    /** The environment with this secret in a file in place of the variable. */
    const inFile = async (name: keyof typeof values, content: string): Promise<NodeJS.ProcessEnv> => {
      const file = join(folder, name);
      await writeFile(file, content);
      return { ...all, [name]: '', [`${name}_FILE`]: file };
    };

    it('takes each from the file, without the end of its line', async () => {
      for (const name of names)
        for (const end of ['', '\n', '\r\n', '\n\n'])
          expect(readConfig(await inFile(name, values[name] + end)), name).to.deep.equal(readConfig(all));
    });

    it('takes an empty name of a file for none', () => {
      for (const name of names) expect(readConfig({ ...all, [`${name}_FILE`]: '' })).to.deep.equal(readConfig(all));
    });

    it('names both variables when both are set', async () => {
      for (const name of names)
        expect(problemsOf({ ...(await inFile(name, values[name])), [name]: values[name] })).to.deep.equal([
          `${name} and ${name}_FILE are both set: take one of them away.`,
        ]);
    });

    it('names the file that is missing, a folder, empty or longer than a line', async () => {
      const missing = join(folder, 'missing');
      for (const name of names) {
        const file = join(folder, name);
        expect(problemsOf({ ...all, [name]: '', [`${name}_FILE`]: missing })).to.deep.equal([
          `${name}_FILE names a file that can't be read, ${missing} (ENOENT).`,
        ]);
        expect(problemsOf({ ...all, [name]: '', [`${name}_FILE`]: folder })).to.deep.equal([
          `${name}_FILE names a file that can't be read, ${folder} (EISDIR).`,
        ]);
        for (const content of ['', '\n', '\r\n\n'])
          expect(problemsOf(await inFile(name, content))).to.deep.equal([
            `${name}_FILE names an empty file, ${file}: write the value of ${name} into it.`,
          ]);
        expect(problemsOf(await inFile(name, `${values[name]}\n${values[name]}\n`))).to.deep.equal([
          `${name}_FILE names a file with more than one line, ${file}.`,
        ]);
      }
    });

    it('tells a wrong value by its file, and never the value', async () => {
      for (const name of names.filter((each) => each !== 'OIDC_CLIENT_SECRET')) {
        const [problem = '', ...others] = problemsOf(await inFile(name, 'pass-word-6'));
        expect(problem).to.match(
          new RegExp(`^${name} \\(of the file ${join(folder, name)}\\) is not valid\\. Example: `),
        );
        expect(problem).not.to.include('pass-word-6');
        expect(others).to.deep.equal([]);
      }
    });

    it('takes no other variable from a file', () => {
      expect(readConfig({ ...good, PORT_FILE: '/nowhere/at/all' }).port).to.equal(3000);
    });
  });
});
