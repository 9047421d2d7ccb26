import { createHmac, randomBytes } from 'node:crypto';
import { chownSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where Debian's packages put the programs. */
export const cyrusPrograms = '/usr/lib/cyrus/bin';

export interface CyrusPorts {
  http: number;
  imap: number;
  lmtp: number;
  smtp: number;
}

/** Writes what the server reads at its start. @param user as whom it runs. */
export function writeCyrusFiles(
  folder: string,
  ports: CyrusPorts,
  user: string,
): { conf: string; cyrus: string } {
  const run = join(folder, 'run');
  for (const name of ['db', 'proc', 'lock', 'log', 'msg', 'quota', 'sieve', 'socket', 'user'])
    mkdirSync(join(folder, 'conf', name), { recursive: true });
  for (const name of ['spool', 'search', 'tmp']) mkdirSync(join(folder, name));
  const settings = {
    configdirectory: join(folder, 'conf'),
    defaultpartition: 'default',
    'partition-default': join(folder, 'spool'),
    sievedir: join(folder, 'conf', 'sieve'),
    temp_path: join(folder, 'tmp'),
    proc_path: join(run, 'proc'),
    mboxname_lockpath: join(run, 'lock'),
    lmtpsocket: join(run, 'lmtp'),
    idlesocket: join(run, 'idle'),
    notifysocket: join(run, 'notify'),
    cyrus_user: user,
    admins: 'admin',
    servername: 'localhost',
    // With the domain of the users here, Cyrus would take it off the name that is looked up.
    virtdomains: 'userid',
    defaultdomain: 'internal.invalid',
    unixhierarchysep: 'yes',
    altnamespace: 'yes',
    allowplaintext: 'yes',
    sasl_mech_list: 'PLAIN',
    sasl_pwcheck_method: 'saslauthd',
    sasl_saslauthd_path: join(run, 'mux'),
    http_jwt_key_dir: join(folder, 'jwt'),
    autocreate_quota: '0',
    autocreate_post: 'no',
    autocreate_inbox_folders: 'Drafts|Sent|Trash|Junk|Archive',
    'xlist-drafts': 'Drafts',
    'xlist-sent': 'Sent',
    'xlist-trash': 'Trash',
    'xlist-junk': 'Junk',
    'xlist-archive': 'Archive',
    conversations: 'yes',
    httpmodules: 'jmap',
    httpallowcompress: 'no',
    munge8bit: 'no',
    jmap_pushpoll: '1s',
    jmap_vacation: 'no',
    jmapsubmission_deleteonsend: 'no',
    search_engine: 'xapian',
    defaultsearchtier: 't1',
    't1searchpartition-default': join(folder, 'search'),
    smtp_backend: 'host',
    smtp_host: `127.0.0.1:${ports.smtp}`,
  };
  const conf = join(folder, 'imapd.conf');
  writeFileSync(conf, lines(Object.entries(settings).map(([name, value]) => `${name}: ${value}`)));
  const program = (name: string, more = ''): string => `cmd="${cyrusPrograms}/${name} -C ${conf}${more}"`;
  const at = (port: number): string => `listen="127.0.0.1:${port}"`;
  const cyrus = join(folder, 'cyrus.conf');
  const services = [
    `  http ${program('httpd')} ${at(ports.http)} prefork=2`,
    `  imap ${program('imapd')} ${at(ports.imap)} prefork=1`,
    `  lmtp ${program('lmtpd', ' -a')} ${at(ports.lmtp)} prefork=1`,
  ];
  writeFileSync(
    cyrus,
    lines(['START {', `  recover ${program('ctl_cyrusdb', ' -r')}`, '}', 'SERVICES {', ...services, '}']),
  );
  return { conf, cyrus };
}

/** Gives a folder to the user as whom the server runs. */
export function giveTo(user: string, folder: string): void {
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`${user}:`));
  const [, , uid, gid] = entry?.split(':') ?? [];
  const give = (path: string): void => {
    chownSync(path, Number(uid), Number(gid));
    if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) give(join(path, name));
  };
  give(folder);
}

/** Writes a key that the server knows, and gives tokens that are signed with it. */
export function writeTokenKey(folder: string): (user: string, issuedAt?: Date) => string {
  const key = randomBytes(32);
  mkdirSync(join(folder, 'jwt'));
  const pem = ['-----BEGIN HMAC KEY-----', key.toString('base64'), '-----END HMAC KEY-----'];
  writeFileSync(join(folder, 'jwt', 'key.pem'), lines(pem));
  const coded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return (user, issuedAt) => {
    const issued = issuedAt && { iat: Math.floor(issuedAt.getTime() / 1000) };
    const claims = `${coded({ alg: 'HS256', typ: 'JWT' })}.${coded({ sub: user, ...issued })}`;
    return `${claims}.${createHmac('sha256', key).update(claims).digest('base64url')}`;
  };
}

const lines = (all: readonly string[]): string => `${all.join('\n')}\n`;
