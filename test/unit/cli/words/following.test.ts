import type { Schemas } from '@houmao/sdk';
import { expect, test } from 'vitest';
import { ProgressDisplay } from '../../../../src/cli/words/following.js';
import { Output } from '../../../../src/cli/words/terminal-output.js';

const surroundings = { programName: 'houmao-mgr', errorWindow: null, outputWindow: null, isColoured: false };
const paused = { code: 'paused', detail: 'The queue is paused; PUT /v1/control/queue resumes it.' };
const request = (waiting_reason: typeof paused | null) =>
  ({
    request_id: 'gwreq-1',
    state: 'accepted',
    turn: null,
    queue_position: 0,
    waiting_reason,
  }) as Schemas['RequestRecord'];

test('what a gateway says of a request that waits has a command in place of its route', () => {
  const following = new ProgressDisplay(
    new Output(true, surroundings),
    'alpha',
    'gateway',
    ' --server http://h:1',
  );
  const said = `No answer within 2 s. It waited: ${paused.detail}`;
  expect(following.inWords(said)).toBe(said);
  following.onRequest(request(paused), null);
  expect(following.inWords(said)).toBe(
    'No answer within 2 s. It waited: The queue is paused; resume it: houmao-mgr agents gateway resume alpha --server http://h:1',
  );
  following.onRequest(request(null), null);
  expect(following.inWords(said)).toBe(said);
});
