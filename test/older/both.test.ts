// Sessions of ours in the hands of the older implementation, and the reverse: on one host, in one registry.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { olderStage } from './older-stage.js';

const { folder, work, window, ours, reported, older, olderReported, taken, sessions, gatewayOf } =
  olderStage();
// Somebody else's session: tmux stays when those of the agents have ended.
beforeAll(() => void window.run('new-session', '-d', '-s', 'somebody'));

/** The prompts of the conversation that took the last one. */
const conversation = () => {
  const last = taken().at(-1)?.session_id;
  return taken().flatMap(({ session_id, prompt }) => (session_id === last ? (prompt ?? []) : []));
};
const olderAgents = async (): Promise<{ agent_id: string }[]> =>
  (await olderReported('agents', 'global', 'list')).agents;

describe.each([
  ['headless', '--headless'],
  ['in a terminal', '--tui'],
])('an agent of ours, %s,', (kind, flag) => {
  test('is found, prompted, attached, interrupted and stopped by the older implementation', async () => {
    const name = `ours-${kind.replaceAll(' ', '-')}`;
    const launched = await reported(
      ...['launch', '--tool', 'claude', flag, '--name', name, '--role', 'You test.', '--workdir', work],
      ...['--home', join(folder, `home-of-${name}`)],
    );
    const { agent_id: id, session_root: root, tmux_session_name: session } = launched;
    const single = (...args: string[]) => olderReported('agents', 'single', '--agent-id', id, ...args);
    expect(await olderAgents()).toContainEqual(expect.objectContaining({ agent_id: id }));
    expect(await single('state')).toMatchObject({ availability: 'available', turn: { phase: 'ready' } });

    expect(await single('gateway', 'prompt', '--prompt', 'through our gateway')).toMatchObject({
      sent: true,
    });
    await expect.poll(conversation).toEqual(['through our gateway']);
    await single('gateway', 'detach');
    await single('gateway', 'attach', '--background');
    expect(gatewayOf(root)).toBe('older');
    const surface = async () => (await single('gateway', 'status')).terminal_surface_eligibility;
    await expect.poll(surface).toBe('ready');
    const sent = async (prompt: string) =>
      (await older('agents', 'single', '--agent-id', id, 'gateway', 'prompt', '--prompt', prompt)).code;
    // It refuses what comes before its tracker knows the screen.
    await expect.poll(() => sent('[[slow=60000]] through its gateway')).toBe(0);
    const both = ['through our gateway', '[[slow=60000]] through its gateway'];
    await expect.poll(conversation).toEqual(both);
    expect(await single('interrupt')).toMatchObject({ success: true });
    expect(await single('stop')).toMatchObject({ success: true });
    expect(sessions()).not.toContain(session);
    expect((await reported('list')).agents).toEqual([]);
    expect(conversation()).toEqual(both);
  });
});

describe.each([
  ['headless', '--headless'],
  ['in a terminal', '--no-headless'],
])('an agent of the older implementation, %s,', (kind, flag) => {
  test('is found, prompted, attached, brought back and stopped by ours', async () => {
    const name = `older-${kind.replaceAll(' ', '-')}`;
    const project = (...args: string[]) =>
      older('project', '--project-dir', join(folder, `project-of-${name}`), ...args);
    const template = join(folder, 'template.json');
    writeFileSync(template, '{}');
    const steps = [
      ['init'],
      [
        ...['specialist', 'create', '--name', 'tester', '--tool', 'claude', '--system-prompt', 'You test.'],
        ...['--api-key', 'no-key', '--no-unattended', '--no-system-skills'],
        ...['--claude-state-template-file', template],
      ],
      [
        ...['agents', 'launch', '--specialist', 'tester', '--name', name, flag, '--gateway-background'],
        ...['--workdir', work],
      ],
    ];
    for (const step of steps) expect(await project(...step)).toMatchObject({ code: 0 });
    const { agents } = await reported('list');
    expect(agents).toEqual([expect.objectContaining({ agent_name: name, state: 'ready' })]);
    const [{ session_root: root }] = agents;
    expect(gatewayOf(root)).toBe('older');

    for (const look of [['gateway', 'status'], ['doctor']]) await reported(...look, name);
    expect((await ours('requests', 'list', name)).code).toBe(1);
    // Its gateway takes requests and has no route that says what becomes of them.
    const unreported = await ours('prompt', name, 'through its gateway', '--json');
    expect(unreported.code).toBe(3);
    await expect.poll(conversation).toEqual(['through its gateway']);
    const { request_id: request } = JSON.parse(unreported.stderr);
    await reported('gateway', 'attach', name, '--restart');
    expect(gatewayOf(root)).toBe('ours');
    expect(await reported('requests', 'show', name, request)).toMatchObject({
      prompt_preview: 'through its gateway',
    });
    expect((await reported('prompt', name, 'through ours')).answer).toContain('turn 2 of this conversation');

    const session = sessions().find((one) => one.startsWith(`HOUMAO-${name}-`)) ?? '';
    window.run('kill-session', '-t', session);
    expect(await reported('restart', name)).toMatchObject({ tmux_session: 'made', gateway: 'there' });
    expect((await reported('prompt', name, 'again')).answer).toContain('turn 3 of this conversation');
    expect((await ours('stop', name)).code).toBe(0);
    expect(sessions()).not.toContain(session);
    expect(await olderAgents()).toEqual([]);
    expect(conversation()).toEqual(['through its gateway', 'through ours', 'again']);
  });
});
