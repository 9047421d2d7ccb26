import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** `nobody`, a user that only root can become. */
export const otherUser = 65534;

/**
 * The whole answer of a gateway to a request of another user. Spoken by bash: a user without rights can run it anywhere.
 * @param then what that user does after sending: read the answer, or hang up at once.
 */
export async function askAs(
  uid: number,
  port: number,
  request: string,
  then: 'read' | 'hang up' = 'read',
): Promise<string> {
  const script = `exec 3<>/dev/tcp/127.0.0.1/${port}; printf '%b' "$1" >&3; ${then === 'read' ? 'cat <&3' : ''}`;
  const encoded = request.replaceAll('\\', '\\\\').replaceAll('\r', '\\r').replaceAll('\n', '\\n');
  const child = spawn('/bin/bash', ['-c', script, 'bash', encoded], {
    uid,
    gid: uid,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let answer = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  await once(child, 'close');
  return answer;
}
