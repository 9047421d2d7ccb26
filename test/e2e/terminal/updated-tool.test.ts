import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { standinProgram } from '../../support/test-session.js';
import { useTerminalAgents } from './terminal-agent.js';

const agents = useTerminalAgents();

test('a tool that was updated and started again is read as the version that it is now', async () => {
  const place = join(agents.folder, 'updated');
  await mkdir(place);
  const [program, version] = [join(place, 'standin-agent.js'), join(place, 'version')];
  writeFileSync(
    program,
    `#!/bin/sh\n[ "$1" = --version ] && exec cat '${version}'\nexec '${process.execPath}' '${standinProgram}' "$@"\n`,
  );
  chmodSync(program, 0o755);
  writeFileSync(version, '2.1.330 (Claude Code)\n');
  await agents.launch('', '--executable', program);
  await agents.ready();
  const { tracked_session: before, parsed_surface: read } = await agents.state();
  expect([before.observed_tool_version, read.parser_preset_version]).toEqual([
    '2.1.330 (Claude Code)',
    '2.1.x',
  ]);

  writeFileSync(version, '1.0.5 (Claude Code)\n');
  process.kill(agents.toolPid(), 'SIGKILL');
  await expect.poll(async () => (await agents.state()).diagnostics.availability).toBe('tui_down');
  const pane = ['-t', `=${agents.agent.session}:0.0`];
  // Keys are lost until the shell that follows the tool reads them.
  await expect
    .poll(() => agents.tmux.run('capture-pane', '-p', ...pane))
    .toMatch(/exited with code 137\]\s+\S/);
  agents.tmux.run('send-keys', ...pane, program, 'Enter');
  await expect.poll(agents.state).toMatchObject({
    tracked_session: { observed_tool_version: '1.0.5 (Claude Code)' },
    parsed_surface: { parser_preset_id: expect.stringMatching(/-fallback$/) },
  });
  const manifest = JSON.parse(readFileSync(join(agents.agent.root, 'manifest.json'), 'utf8'));
  expect(manifest.launch_policy_provenance.detected_tool_version).toBe('1.0.5 (Claude Code)');
});
