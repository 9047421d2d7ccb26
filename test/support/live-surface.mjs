// A program that serves a surface, with a stand-in agent and its mailbox, for tools that call it from outside.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchGateway } from '../torture/gateway.mjs';
import { makeSession } from '../torture/session.mjs';

const serverProgram = fileURLToPath(new URL('../../dist/programs/houmao-server.js', import.meta.url));
const mailboxIn = (folder) => ({ root: join(folder, 'mailbox'), address: null, principalId: null });

/**
 * @typedef {object} LiveSurface
 * @property {string} url
 * @property {string} folder where everything of it is
 * @property {object} session of its agent
 * @property {string | null} agentRef the agent, where the surface has more than one
 * @property {() => Promise<void>} end ends its programs, and removes the folder
 */

/** @type {Record<string, (name: string) => Promise<LiveSurface>>} by the name of the surface. */
export const liveSurfaces = { gateway: openGateway, 'managed-agent': openServer };

async function openGateway(name) {
  const session = await makeSession(name, mailboxIn);
  const gateway = launchGateway(session);
  const url = await gateway.ready;
  if (url === null) {
    session.remove();
    throw new Error(`the gateway did not start: ${gateway.stderr()}`);
  }
  const end = async () => {
    await gateway.end('clean').finally(() => session.remove());
  };
  return { url, folder: session.folder, session, agentRef: null, end };
}

/** A server with an agent that has a gateway. */
async function openServer(name) {
  const gateway = await openGateway(name);
  const server = launchServer(gateway);
  const end = async () => {
    await server.end().finally(() => gateway.end());
  };
  const url = await server.ready;
  if (url !== null) return { ...gateway, url, agentRef: basename(gateway.session.paths.root), end };
  await gateway.end();
  throw new Error(`the server did not start: ${server.stderr()}`);
}

function launchServer({ folder, session }) {
  const child = spawn(process.execPath, [serverProgram, '--root', join(folder, 'server'), '--port', '0'], {
    env: { ...session.environment, HOUMAO_STRICT_RESPONSES: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let [stdout, stderr] = ['', ''];
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const announced = new Promise((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      const url = /(http:\/\/127\.0\.0\.1:\d+) /.exec(stdout)?.[1];
      if (url) resolve(url);
    });
  });
  return {
    ready: Promise.race([announced, ended.then(() => null)]),
    stderr: () => stderr,
    async end() {
      child.kill('SIGTERM');
      const [code, signal] = await ended;
      if (code !== 0) throw new Error(`the server ended with ${code ?? signal}: ${stderr}`);
    },
  };
}
