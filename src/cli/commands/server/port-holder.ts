import { createHoumaoClient, isHoumaoError } from '@houmao/sdk/managed-agent';
import { listenObstacle } from '../../../foundation/listening.js';
import { CommandFailure, exitCodes } from '../../words/command-failure.js';
import { quoted } from '../../words/program-name.js';

const answerMilliseconds = 2000;

/**
 * Before a server is started: whether another one has its port. Anything else that has it is told by the server that does not start.
 *
 * @throws {CommandFailure} that names it.
 */
export async function refuseTakenPort(place: { host: string; port: number }): Promise<void> {
  if (place.port === 0 || (await listenObstacle(place)) === null) return;
  const baseUrl = `http://127.0.0.1:${place.port}`;
  const client = createHoumaoClient({ baseUrl, timeoutMs: answerMilliseconds, maxRetries: 0 });
  const holder = await client.getCurrentInstance().catch((error: unknown) => {
    if (isHoumaoError(error)) return null;
    throw error;
  });
  if (holder === null) return;
  throw new CommandFailure(
    `Another houmao-server serves at ${baseUrl} (pid ${holder.pid}, ${holder.server_root}).`,
    exitCodes.failed,
    {
      errorCode: 'port_taken',
      remedies: [
        ['stop it', `houmao-mgr server stop --root ${quoted(holder.server_root)}`],
        ['or use any free port', 'houmao-mgr server start --port 0'],
      ],
    },
  );
}
