/** Authorities and certificates of servers for tests, as files of a folder; made by openssl. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProcess } from '../../shared/tools/services/processes.mjs';

const openssl = async (cwd: string, ...args: readonly string[]): Promise<void> => {
  const { code, output } = await runProcess(['openssl', ...args], { cwd });
  if (code !== 0) throw new Error(output);
};

export interface Authority {
  /** Its own certificate. */
  readonly file: string;
  /** Writes a certificate of a server and its key; times in ms from now. */
  issue(files: CertificateFiles, about?: CertificateOptions): Promise<void>;
}

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

interface CertificateOptions {
  readonly name?: string;
  readonly fromMs?: number;
  readonly untilMs?: number;
}

const dayMs = 86_400_000;
/** Returns a time as certificates have it, such as `261128210000Z`. */
const certificateTime = (ms: number): string =>
  new Date(Date.now() + ms).toISOString().replace(/\.\d+/, '').replaceAll(/[-:T]/g, '').slice(2);

/** Returns a new authority, whose files are in a folder of its own in `dir`. */
export const newAuthority = async (dir: string, name: string): Promise<Authority> => {
  const home = join(dir, name);
  mkdirSync(home);
  const subject = ['-subj', `/CN=${name}`];
  await openssl(
    home,
    ...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 9 -keyout ca.key -out ca.pem'.split(' '),
    ...subject,
  );
  writeFileSync(join(home, 'index.txt'), '');
  writeFileSync(join(home, 'index.txt.attr'), 'unique_subject = no\n');
  writeFileSync(
    join(home, 'ca.conf'),
    '[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\nnew_certs_dir=.\nrand_serial=yes\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n',
  );
  return {
    file: join(home, 'ca.pem'),
    issue: async ({ cert, key }, { name: host = 'IP:127.0.0.1', fromMs = -dayMs, untilMs = 5 * dayMs } = {}) => {
      await openssl(
        home,
        ...'req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=server -out server.csr'.split(' '),
        '-keyout',
        key,
      );
      writeFileSync(join(home, 'names.conf'), `subjectAltName=${host}\n`);
      await openssl(
        home,
        ...'ca -batch -config ca.conf -cert ca.pem -keyfile ca.key -in server.csr -notext -extfile names.conf'.split(
          ' ',
        ),
        '-out',
        cert,
        '-startdate',
        certificateTime(fromMs),
        '-enddate',
        certificateTime(untilMs),
      );
    },
  };
};
