/** `npm run doctor` at proxies and mail servers of which a certificate is right, ends soon, has ended, or is trusted by nobody. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { expect } from 'chai';
import { program } from '../../shared/tools/services/compile.mjs';
import { freePort } from '../../shared/tools/services/ports.mjs';
import { runProcess } from '../../shared/tools/services/processes.mjs';
import { newAuthority, type Authority } from '../support/certificates.ts';
import { openMailBox } from '../support/mail.ts';

interface Finding {
  readonly check: string;
  readonly status: string;
  readonly text: string;
}

const dayMs = 86_400_000;
/** Each certificate with what the doctor says of it: the status, and a part of the text. */
const cases = [
  { by: 'ours', untilMs: 60 * dayMs, says: ['ok', 'is valid until'] },
  { by: 'ours', untilMs: 9 * dayMs, says: ['fail', 'days: replace it'] },
  { by: 'ours', fromMs: -2 * dayMs, untilMs: -dayMs, says: ['fail', 'its certificate has expired'] },
  { by: 'theirs', untilMs: 60 * dayMs, says: ['fail', 'no authority that this process trusts has signed'] },
  { by: 'ours', name: 'DNS:elsewhere.example', untilMs: 60 * dayMs, says: ['fail', 'is for another name'] },
] as const;

describe('npm run doctor, of certificates', () => {
  const dir = mkdtempSync(join(tmpdir(), 'console-certificates-'));
  const authorities = new Map<string, Authority>();
  const files = { cert: join(dir, 'server.pem'), key: join(dir, 'server.key') };
  before(async () => {
    for (const name of ['ours', 'theirs']) authorities.set(name, await newAuthority(dir, name));
  });
  after(() => rmSync(dir, { recursive: true }));

  /** Returns what the doctor says of the proxy and the mail server. */
  const diagnose = async (env: Readonly<Record<string, string>>): Promise<Finding[]> => {
    const { PATH, DATABASE_URL, REDIS_URL } = process.env;
    const { output } = await runProcess([...(await program('shared/tools/doctor/main.ts')), '--json'], {
      env: { PATH, DATABASE_URL, REDIS_URL, NODE_EXTRA_CA_CERTS: authorities.get('ours')?.file, ...env },
    });
    return (JSON.parse(output) as { findings: Finding[] }).findings.filter(({ check }) =>
      /^(?:publicUrl\.certificate|mail)/.test(check),
    );
  };

  it('says of each that clients of PUBLIC_URL and the workers would be shown whether it is taken', async () => {
    for (const { by, says, ...about } of cases) {
      await authorities.get(by)?.issue(files, about);
      const shown = { cert: readFileSync(files.cert), key: readFileSync(files.key) };
      const proxy = createServer(shown);
      proxy.on('tlsClientError', () => undefined);
      proxy.listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      const mail = await openMailBox(0, { ...shown, secure: true, disabledCommands: ['STARTTLS'] });
      const upgraded = await openMailBox(0, { ...shown, disabledCommands: ['AUTH'] });
      try {
        const PUBLIC_URL = `https://127.0.0.1:${String((proxy.address() as AddressInfo).port)}`;
        for (const SMTP_URL of [mail.url.replace('smtp:', 'smtps:'), upgraded.url]) {
          const found = await diagnose({ PUBLIC_URL, SMTP_URL });
          const [status, part] = says;
          const what = `${by} ${JSON.stringify(about)} ${SMTP_URL}: ${JSON.stringify(found)}`;
          const judged = found.filter(({ check }) => check !== 'mail' || found.length === 2);
          expect(
            judged.map((finding) => finding.status),
            what,
          ).to.deep.equal([status, status]);
          for (const { text } of judged) expect(text, what).to.include(part);
        }
      } finally {
        proxy.close();
        await mail.close();
        await upgraded.close();
      }
    }
  });

  it('warns of a PUBLIC_URL that is not reached from here, and fails for a mail server that lets nobody in', async () => {
    const mail = await openMailBox(0, {
      disabledCommands: ['STARTTLS'],
      onAuth: (_auth, _session, callback) => callback(new Error('Wrong password')),
    });
    try {
      const [proxy, refused] = await diagnose({
        PUBLIC_URL: `https://127.0.0.1:${String(await freePort())}`,
        SMTP_URL: mail.url.replace('smtp://', 'smtp://console:wrong@'),
      });
      expect([proxy?.status, refused?.status]).to.deep.equal(['warn', 'fail']);
      expect(proxy?.text).to.include('the connection is refused').and.to.include('look at it where clients are');
      expect(refused?.text).to.include('refuses the name or the password of SMTP_URL').and.not.to.include('wrong');
      const [away] = await diagnose({ SMTP_URL: `smtp://127.0.0.1:${String(await freePort())}` });
      expect(away).to.deep.include({ check: 'mail', status: 'fail' });
      expect(away?.text).to.include('The mail server can’t be reached');
    } finally {
      await mail.close();
    }
  });
});
