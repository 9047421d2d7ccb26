import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../free-port.js';
import { writeJamesFiles } from './james-files.js';

/**
 * Apache James with its JMAP for one test file. What it keeps is in memory and goes with it. It takes JMAP on every address of the
 * machine, and has no setting for that: it is to be started where there is none but loopback.
 */
export interface JamesServer {
  /** Where a client begins. */
  readonly jmapUrl: string;
  /** It takes connections, and answers none. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

/** @param jars of it. @param users their passwords by address. */
export async function startJames(
  jars: string,
  users: Readonly<Record<string, string>>,
): Promise<JamesServer> {
  const folder = mkdtempSync(join(tmpdir(), 'james-'));
  const ports = { jmap: await freePort(), admin: await freePort(), management: await freePort() };
  await writeJamesFiles(folder, ports, 20);
  const program = new JamesProgram(folder, jars);
  const stop = async (): Promise<void> => {
    await program.end();
    rmSync(folder, { recursive: true, force: true });
  };
  const jmapUrl = `http://127.0.0.1:${ports.jmap}/.well-known/jmap`;
  const adminUrl = `http://127.0.0.1:${ports.admin}`;
  const admin = async (path: string, body = ''): Promise<void> => {
    const answer = await fetch(`${adminUrl}/${path}`, { method: 'PUT', body });
    if (!answer.ok) throw new Error(`James: PUT ${path}: ${answer.status} ${await answer.text()}`);
  };
  try {
    for (const url of [jmapUrl, `${adminUrl}/healthcheck`]) await program.until(() => answers(url));
    const domains = new Set(Object.keys(users).map((address) => address.slice(address.indexOf('@') + 1)));
    for (const domain of domains) await admin(`domains/${domain}`);
    for (const [address, password] of Object.entries(users))
      await admin(`users/${address}`, JSON.stringify({ password }));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    jmapUrl,
    stop,
    freeze: () => void program.signal('SIGSTOP'),
    thaw: () => void program.signal('SIGCONT'),
  };
}

class JamesProgram {
  readonly #child: ChildProcess;
  readonly #log: string;
  readonly #ended: Promise<void>;
  #isEnded = false;

  constructor(folder: string, jars: string) {
    this.#log = join(folder, 'james.log');
    const log = openSync(this.#log, 'a');
    const settings = {
      'working.directory': folder,
      'java.io.tmpdir': folder,
      // Names and passwords are in whatever code the machine has.
      'file.encoding': 'UTF-8',
      'logback.configurationFile': join(folder, 'conf', 'logback.xml'),
    };
    const given = Object.entries(settings).map(([name, value]) => `-D${name}=${value}`);
    // It lives for half a minute: what makes a start short is worth more than speed later.
    const manner = ['-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-XX:-UsePerfData'];
    const program = ['-cp', join(jars, '*'), 'org.apache.james.MemoryJamesServerMain'];
    this.#child = spawn('java', [...manner, ...given, ...program], {
      cwd: folder,
      stdio: ['ignore', log, log],
      env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR },
    });
    this.#ended = new Promise((resolve) => {
      const ended = (): void => {
        this.#isEnded = true;
        resolve();
      };
      this.#child.once('exit', ended).once('error', ended);
    });
  }

  /** It takes six seconds on a quiet machine. */
  async until(isReady: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; !(await isReady()); tries += 1) {
      if (this.#isEnded || tries > 900) throw new Error(`James: ${readFileSync(this.#log, 'utf8')}`);
      await sleep(100);
    }
  }

  signal(signal: NodeJS.Signals): boolean {
    return this.#child.kill(signal);
  }

  async end(): Promise<void> {
    this.signal('SIGKILL');
    await this.#ended;
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { redirect: 'manual', headers: { connection: 'close' } });
    await answer.arrayBuffer();
    return true;
  } catch {
    return false;
  }
}
