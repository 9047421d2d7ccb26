import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, listening } from '../free-port.js';
import { cyrusPrograms, giveTo, writeCyrusFiles, writeTokenKey } from './cyrus-files.js';
import { deliverByLmtp, dotStuffed } from './lmtp.js';
import { passwordServer } from './password-server.js';
import { SmtpRelay } from './smtp-relay.js';

/** The program that {@link startCyrus} needs, as `npm test` names it to a person who lacks it. */
export const cyrusNeed = 'Cyrus IMAP (apt-get install --no-install-recommends dma cyrus-imapd cyrus-caldav)';
export const hasCyrus = existsSync(join(cyrusPrograms, 'httpd'));

/** A real JMAP server for one test file, on loopback, with data that is thrown away. */
export interface CyrusServer {
  /** Where a client begins. */
  readonly jmapUrl: string;
  /** Gives an account to that address, or another password to one that has it. */
  addUser(address: string, password: string): Promise<void>;
  /** A token that the server takes in place of a password; one of another time is another one. */
  tokenOf(address: string, issuedAt?: Date): string;
  /** Gives an account no more room than so many kilobytes. */
  setQuota(address: string, kilobytes: number): Promise<void>;
  /** Lets a message come from the world; headers and body as they are. @returns the reply for each recipient. */
  deliver(from: string, to: readonly string[], raw: string | Buffer): Promise<Record<string, string>>;
  /** It takes connections, and answers none. */
  freeze(): void;
  thaw(): void;
  /** It ends, and is there again at the same address. */
  end(): Promise<void>;
  begin(): Promise<void>;
  stop(): Promise<void>;
}

/** @param users their passwords by address. */
export async function startCyrus(users: Readonly<Record<string, string>>): Promise<CyrusServer> {
  const folder = mkdtempSync(join(tmpdir(), 'cyr-'));
  mkdirSync(join(folder, 'run'));
  const passwords = new Map(Object.entries(users));
  const [http, imap, lmtp] = [await freePort(), await freePort(), await freePort()] as const;
  const relay = new SmtpRelay(lmtp, (address) => passwords.has(address));
  const smtp = await listening(relay.server);
  const passwordsAt = passwordServer(passwords);
  await listening(passwordsAt, join(folder, 'run', 'mux'));
  chmodSync(join(folder, 'run', 'mux'), 0o777);
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? 'cyrus' : userInfo().username;
  const files = writeCyrusFiles(folder, { http, imap, lmtp, smtp }, user);
  const tokenOf = writeTokenKey(folder);
  if (isRoot) openTo(user, folder);

  let master: Master | null = null;
  const begin = async (): Promise<void> => {
    master = new Master(folder, files);
    await master.until(() => answers(http));
  };
  const end = async (): Promise<void> => {
    await master?.end();
    master = null;
  };
  const stop = async (): Promise<void> => {
    await end();
    await relay.idle();
    relay.server.close();
    passwordsAt.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const addUser = async (address: string, password: string): Promise<void> => {
    passwords.set(address, password);
    // A first login makes the boxes of an account.
    await byImap(imap, address, password, []);
  };
  try {
    await begin();
    for (const [address, password] of passwords) await addUser(address, password);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    jmapUrl: `http://127.0.0.1:${http}/.well-known/jmap`,
    addUser,
    tokenOf,
    begin,
    end,
    stop,
    setQuota: async (address, kilobytes) => {
      await addUser('admin', 'admin');
      await byImap(imap, 'admin', 'admin', [`SETQUOTA "user/${address}" (STORAGE ${kilobytes})`]);
    },
    deliver: (from, to, raw) => deliverByLmtp(lmtp, from, to, dotStuffed(raw)),
    freeze: () => master?.signal('SIGSTOP'),
    thaw: () => master?.signal('SIGCONT'),
  };
}

/** The process that starts the others. It signals its whole group when it ends, so it has one of its own. */
class Master {
  readonly #child: ChildProcess;
  readonly #log: string;
  readonly #ended: Promise<void>;
  #isEnded = false;

  constructor(folder: string, { conf, cyrus }: { conf: string; cyrus: string }) {
    this.#log = join(folder, 'master.log');
    const log = openSync(this.#log, 'a');
    const args = ['-C', conf, '-M', cyrus, '-p', join(folder, 'run', 'master.pid'), '-D'];
    this.#child = spawn(join(cyrusPrograms, 'master'), args, {
      cwd: folder,
      detached: true,
      stdio: ['ignore', log, log],
      env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR },
    });
    this.#ended = new Promise((resolve) => {
      this.#child.once('exit', () => {
        this.#isEnded = true;
        resolve();
      });
    });
  }

  async until(isReady: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; !(await isReady()); tries += 1) {
      if (this.#isEnded || tries > 600) throw new Error(`Cyrus: ${readFileSync(this.#log, 'utf8')}`);
      await sleep(50);
    }
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, signal);
  }

  /** Without a farewell, which takes it long: its data is thrown away, or recovered at its next start. */
  async end(): Promise<void> {
    try {
      this.signal('SIGKILL');
    } catch {
      // Nobody of the group is left.
    }
    await this.#ended;
  }
}

/** The server runs as another user than we: every folder above must let it through. */
function openTo(user: string, folder: string): void {
  giveTo(user, folder);
  chmodSync(folder, 0o755);
  for (let above = dirname(folder); above !== '/tmp' && above !== '/'; above = dirname(above))
    chmodSync(above, 0o711);
}

async function answers(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/jmap/`, { headers: { connection: 'close' } });
    await answer.arrayBuffer();
    return answer.status === 401;
  } catch {
    return false;
  }
}

/** The commands of one user by IMAP, at first its password. @throws Error where the server does not take all of them. */
const byImap = (port: number, user: string, password: string, commands: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let said = '';
    socket.on('data', (chunk) => {
      said += chunk;
    });
    socket.on('error', reject);
    socket.on('end', () => {
      const taken = said.match(/^a\d+ OK/gm)?.length ?? 0;
      return taken === commands.length + 2 ? resolve() : reject(new Error(`IMAP: ${said}`));
    });
    // A quoted text has only ASCII; a counted one any bytes.
    const counted = `{${Buffer.byteLength(password)}+}\r\n${password}`;
    const all = [`LOGIN "${user}" ${counted}`, ...commands, 'LOGOUT'];
    socket.write(all.map((command, index) => `a${index} ${command}\r\n`).join(''));
  });
