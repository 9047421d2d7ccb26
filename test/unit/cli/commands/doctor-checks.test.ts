import { expect, test } from 'vitest';
import { examine } from '../../../../src/cli/commands/doctor.js';
import { findAgent } from '../../../../src/launch/agent-directory.js';
import { checkLaunch } from '../../../../src/launch/check-launch.js';
import { createSession } from '../../../../src/launch/create-session.js';
import { urlOf } from '../../../../src/launch/live-gateway.js';
import { changeDesiredConfig } from '../../../../src/session/gateway-start-files.js';
import { refusingGateway } from '../../../support/answering-gateway.js';
import { hostIn, requestFor } from '../../../support/launch-host.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

async function launched() {
  const folder = temporaryFolder();
  const host = hostIn(folder);
  const paths = await createSession(checkLaunch(requestFor('alpha', folder), host), host);
  const troubles = async () =>
    (await examine(findAgent('alpha', host), 'alpha', host)).filter(({ state }) => state !== 'ok');
  return { paths, troubles };
}

test('a gateway that refuses its caller is not called dead: the doctor says what it answered', async () => {
  const { paths, troubles } = await launched();
  const instance = await refusingGateway(paths, 401, 'Not this token.');
  expect(await troubles()).toEqual([
    {
      check: 'gateway',
      state: 'failed',
      detail: `serves at ${urlOf(instance)}, process ${instance.pid}, and refuses this caller: Not this token.`,
      remedy: 'Ask as the user who runs it.',
    },
  ]);
});

test('a port to start with that nobody can call is reported, though it is free', async () => {
  const { paths, troubles } = await launched();
  changeDesiredConfig(paths.desiredConfig, { desired_port: 10080 });
  expect((await troubles()).find(({ check }) => check === 'port')).toMatchObject({
    state: 'failed',
    detail: expect.stringContaining('refuse to call port 10080'),
    remedy: expect.stringContaining('--port 0'),
  });
});
