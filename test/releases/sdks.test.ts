// Programs that were written for an earlier release go on with the gateways and servers of today: the SDK of each is compiled from the
// history, with a program for each surface, which calls a live one.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startGatewayForSamples } from '../e2e/sdk/samples-gateway.js';
import { startServerForSamples } from '../e2e/sdk/samples-server.js';
import { earlierReleases } from '../support/earlier-releases.js';
import { programsWithSdkOf } from './earlier-sdk.js';

const execute = promisify(execFile);

describe.each(earlierReleases())('the SDK of $version', (release) => {
  let programs: string;
  beforeAll(() => {
    programs = programsWithSdkOf(release);
  });
  const seenBy = async (program: string, url: string) => {
    const { stdout } = await execute(process.execPath, [join(programs, program), url]);
    return JSON.parse(stdout);
  };

  test('prompts, queues, cancels, interrupts, follows events and sends mail at a gateway of today', async () => {
    const gateway = await startGatewayForSamples();
    onTestFinished(() => gateway.close());
    expect(await seenBy('gateway.js', gateway.url)).toEqual({
      health: { status: 'ok', request_admission: 'open', queue_depth: 0 },
      prompts: {
        answers: ['Hello', 'Hello again', 'Hello, now'],
        last: 'completed',
        isOnce: true,
        outcome: 'completed',
      },
      queue: {
        paused: true,
        waiting_reason: 'paused',
        queue_position: 0,
        state: 'cancelled',
        listed: ['This one waits'],
      },
      interrupts: { errorCode: 'interrupted', outcome: 'interrupted' },
      events: ['accepted', 'cancelled', 'completed', 'failed', 'turn_claimed'],
      mail: { subjects: ['A note'], text: 'Text', left: 0, enabled: false },
      reminders: { listed: ['Later'], deleted: true },
      refusals: [
        [404, 'unknown_request'],
        [422, 'validation_failed'],
      ],
    });
  });

  test('finds, prompts and interrupts an agent at a server of today, by itself and by a gateway', async () => {
    const server = await startServerForSamples();
    onTestFinished(() => server.close());
    expect(await seenBy('managed-agent.js', server.url)).toEqual({
      agents: {
        status: 'ok',
        tools: ['claude'],
        tool: 'claude',
        availability: 'available',
        transport: 'headless',
      },
      turns: {
        answers: ['Hello', 'Hello again'],
        status: 'completed',
        outcome: 'completed',
        entries: true,
      },
      interrupts: { errorCode: 'interrupted', outcome: 'interrupted' },
      gateways: {
        attached: 'healthy',
        answer: 'By the gateway',
        state: 'cancelled',
        last: 'cancelled',
        reminders: 0,
        subjects: ['A note'],
        detached: 'not_attached',
      },
      refusals: [404, 'unknown_agent'],
      stop: { success: true, agents: 0 },
    });
  });
});
