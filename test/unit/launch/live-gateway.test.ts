import { expect, test } from 'vitest';
import { liveGateway, probeGateway } from '../../../src/launch/live-gateway.js';
import { publishCurrentInstance } from '../../../src/session/current-instance.js';
import { sessionPaths } from '../../../src/session/session-paths.js';
import { healthyGateway, refusingGateway } from '../../support/answering-gateway.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const detail = 'Not this token.';

test.each([401, 403])('a gateway that refuses its caller with %i is alive', async (status) => {
  const paths = sessionPaths(temporaryFolder());
  const instance = await refusingGateway(paths, status, detail);
  expect(await probeGateway(paths)).toEqual({ state: 'refusing', instance, detail });
  expect(await liveGateway(paths)).toEqual(instance);
});

test('what refuses in the place of a dead gateway, or is no gateway of this session, is not', async () => {
  const paths = sessionPaths(temporaryFolder());
  await refusingGateway(paths, 500, detail);
  expect(await probeGateway(paths)).toMatchObject({ state: 'silent', detail });
  await refusingGateway(paths, 401, detail, '/another/session');
  expect(await probeGateway(paths)).toMatchObject({ state: 'silent', detail });
  expect(await liveGateway(paths)).toBeNull();
});

test('what answers well at its port is its gateway only if the process that it published is', async () => {
  const paths = sessionPaths(temporaryFolder());
  const instance = await healthyGateway(paths);
  expect(await probeGateway(paths)).toEqual({ state: 'serving', instance });
  const { port } = await healthyGateway(paths, '/another/session');
  expect(await probeGateway(paths)).toMatchObject({
    state: 'silent',
    detail: `Another program answers at port ${port}.`,
  });
  expect(await liveGateway(paths)).toBeNull();
});

test('one on a port that fetch blocks is silent, with the cause', async () => {
  const paths = sessionPaths(temporaryFolder());
  expect(await probeGateway(paths)).toEqual({ state: 'absent' });
  const instance = await refusingGateway(paths, 401, detail);
  publishCurrentInstance(paths, { ...instance, port: 10080 });
  expect(await probeGateway(paths)).toMatchObject({
    state: 'silent',
    detail: expect.stringMatching(/^No answer from http:\/\/127\.0\.0\.1:10080: fetch refuses/),
  });
});
