import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { RequestedBrainLaunch } from '../../src/launch/brain/brain-launch.js';
import { standinProgram } from './test-session.js';

/** A brain manifest as an object; tests change it before it is written. */
export const brainOf = (folder: string) => ({
  schema_version: 3,
  inputs: { tool: 'claude' },
  runtime: {
    launch_executable: standinProgram,
    launch_home_selector: { env_var: 'CLAUDE_CONFIG_DIR', value: join(folder, 'home') },
    launch_contract: {},
  },
  credentials: {
    env_contract: { source_file: join(folder, 'agent.env'), allowlisted_env_vars: ['HOUMAO_STANDIN_LEDGER'] },
  },
  launch_policy: { operator_prompt_mode: 'as_is' },
});

/** The files for launches of the stand-in agent: a brain manifest, a role, an environment file. */
export interface Prepared {
  requested: RequestedBrainLaunch;
  /** One line for each prompt that the stand-in took. */
  ledger: string;
}

/** @param change what differs in the brain manifest. */
export function prepare(folder: string, change: object = {}): Prepared {
  const definition = join(folder, 'definition');
  const role = join(definition, 'roles', 'tester');
  const workingDirectory = join(folder, 'work');
  const ledger = join(folder, 'ledger.jsonl');
  for (const path of [role, workingDirectory]) mkdirSync(path, { recursive: true });
  writeFileSync(join(role, 'system-prompt.md'), 'You test.\n');
  writeFileSync(join(folder, 'agent.env'), `HOUMAO_STANDIN_LEDGER=${ledger}\nA_SECRET=not-for-the-agent\n`);
  const brainPath = join(folder, 'brain.yaml');
  writeFileSync(brainPath, stringify({ ...brainOf(folder), ...change }));
  return {
    ledger,
    requested: {
      tool: 'claude',
      workingDirectory,
      agentDefinition: definition,
      brainPath,
      roleName: 'tester',
      agentName: null,
      agentId: null,
      mailbox: null,
      display: { style: 'plain', detail: 'concise' },
    },
  };
}

/** The same request as the server takes it over HTTP, without a name. */
export const launchBody = ({
  tool,
  workingDirectory,
  agentDefinition,
  brainPath,
  roleName,
}: RequestedBrainLaunch) => ({
  tool,
  working_directory: workingDirectory,
  agent_def_dir: agentDefinition,
  brain_manifest_path: brainPath,
  role_name: roleName,
});
