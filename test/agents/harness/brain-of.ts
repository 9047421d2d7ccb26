import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { toEnvironmentFile } from '../../../src/session/launch-settings.js';
import { type AgentTool, agentPath } from './agent-paths.js';
import { FAKE_MODEL, type ToolHome } from './homes.js';

/** The role that every agent of this tier gets. */
export const roleWords = 'Speak like a pirate.';
const roleName = 'pirate';

/** How a tool is started so that the fake model may have it run a command: nobody is there to be asked. */
const POSTURE: Readonly<Record<AgentTool, { mode: 'unattended' | 'as_is'; args: readonly string[] }>> = {
  // It skips no permissions for root.
  claude: { mode: 'as_is', args: ['--allowedTools=Bash'] },
  codex: { mode: 'unattended', args: [] },
  gemini: { mode: 'unattended', args: [] },
};

/** The body of a launch, for which brain manifest, environment file and role have been written as an operator keeps them. */
export interface LaunchBody {
  readonly tool: AgentTool;
  readonly working_directory: string;
  readonly agent_def_dir: string;
  readonly brain_manifest_path: string;
  readonly role_name: string;
}

/** @param user the home folder of its user */
export function brainOf(
  tool: AgentTool,
  home: ToolHome,
  folder: string,
  work: string,
  user = process.env.HOME ?? '',
): LaunchBody {
  const definition = path.join(folder, 'agents');
  const role = path.join(definition, 'roles', roleName);
  const brain = path.join(folder, 'brain.yaml');
  const variables = path.join(folder, 'agent.env');
  mkdirSync(role, { recursive: true });
  writeFileSync(path.join(role, 'system-prompt.md'), `${roleWords}\n`);
  const { PATH = '', LANG = '' } = process.env;
  writeFileSync(
    variables,
    toEnvironmentFile({ PATH, HOME: user, LANG, ...home.env, NOT_FOR_THE_AGENT: 'secret' }),
  );
  const { mode, args } = POSTURE[tool];
  writeFileSync(
    brain,
    stringify({
      schema_version: 3,
      inputs: { tool },
      runtime: {
        launch_executable: agentPath(tool),
        launch_home_selector: { env_var: home.variable, value: home.home },
        launch_contract: {
          adapter_defaults: { args },
          model_selection: { resolved: { effective: { name: FAKE_MODEL[tool] } } },
        },
      },
      credentials: {
        env_contract: {
          source_file: variables,
          allowlisted_env_vars: ['PATH', 'HOME', 'LANG', ...Object.keys(home.env)],
        },
      },
      launch_policy: { operator_prompt_mode: mode },
    }),
  );
  return {
    tool,
    working_directory: work,
    agent_def_dir: definition,
    brain_manifest_path: brain,
    role_name: roleName,
  };
}
