import { execFile } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeFileAtomic } from '../../foundation/atomic-file.js';
import { absoluteVariable } from '../../foundation/environment.js';
import { programFile } from '../../foundation/programs.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import { type Output, quoted } from '../words/terminal-output.js';

/** The command line that calls this program, and the environment in which it works at the start of the machine. */
export interface BootCommand {
  readonly program: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

const unitName = 'houmao.service';
/** The commands that bring everything back, in their order. Agents of which nothing is missing stay as they are. */
const bootSteps = [
  ['agents', 'restart', '--all'],
  ['server', 'start'],
] as const;
/** The variables that decide where the files are and which programs are found. Credentials are not among them. */
const keptVariables = ['PATH', 'HOUMAO_GLOBAL_RUNTIME_DIR', 'HOUMAO_GLOBAL_REGISTRY_DIR', 'TMUX_TMPDIR'];

/** Pure: the systemd user unit that runs the steps at the start of the machine, and ends nothing when it is stopped. */
export function unitText({ program, environment }: BootCommand): string {
  const variables = Object.entries(environment).map(
    ([name, value]) => `Environment=${inUnit(`${name}=${value}`)}`,
  );
  // The first step may fail for one agent, and the server starts all the same.
  const steps = bootSteps.map(
    (step, at) => `ExecStart=${at === 0 ? '-' : ''}${[...program, ...step].map(inUnit).join(' ')}`,
  );
  return `[Unit]
Description=Houmao: agents with their gateways, and the server

[Service]
Type=oneshot
RemainAfterExit=yes
KillMode=process
${[...variables, ...steps].join('\n')}

[Install]
WantedBy=default.target
`;
}

/** Quotes a word for a unit: `%` begins a specifier there, and `$` a variable. */
const inUnit = (word: string): string =>
  `"${word.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;

/** Pure: the shell script that does the same where there is no systemd. */
export function bootScript({ program, environment }: BootCommand): string {
  const variables = Object.entries(environment).map(([name, value]) => `export ${name}=${quoted(value)}`);
  const steps = bootSteps.map((step) => [...program, ...step].map(quoted).join(' '));
  return `#!/bin/sh
# Brings agents, gateways and the server back; run it once after each start of the machine.
${[...variables, ...steps].join('\n')}
`;
}

interface Places {
  readonly unit: string;
  readonly script: string;
}

function placesOn({ home, environment }: AgentHost): Places {
  const config = absoluteVariable(environment, 'XDG_CONFIG_HOME') ?? join(home, '.config');
  return { unit: join(config, 'systemd', 'user', unitName), script: join(home, '.houmao', 'boot.sh') };
}

const bootCommandOf = ({ environment }: AgentHost): BootCommand => ({
  program: [process.execPath, programFile('houmao-mgr')],
  environment: Object.fromEntries(
    keptVariables.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  ),
});

/**
 * `service install`: has systemd bring server, gateways and agents back after a start of the machine. Without a systemd for users it
 * leaves a script that does it, and fails: nothing runs that script by itself.
 */
export async function installService(host: AgentHost, output: Output): Promise<void> {
  const places = placesOn(host);
  const command = bootCommandOf(host);
  const obstacle = await systemctl(host, 'show-environment');
  if (obstacle !== null) {
    writeFileAtomic(places.script, bootScript(command), { mode: 0o700 });
    throw new CommandFailure(
      `Nothing is installed: there is no systemd for users here (${obstacle}). ${places.script} brings everything back; have whatever starts this machine run it as you.`,
      exitCodes.failed,
      { errorCode: 'no_systemd', remedies: [['bring everything back now', places.script]] },
    );
  }
  writeFileAtomic(places.unit, unitText(command), { mode: 0o644 });
  for (const step of [['daemon-reload'], ['enable', unitName]]) {
    const trouble = await systemctl(host, ...step);
    if (trouble !== null)
      throw new CommandFailure(
        `${places.unit} was written, and systemctl --user ${step.join(' ')} failed: ${trouble}`,
        exitCodes.failed,
        {
          errorCode: 'service_not_enabled',
        },
      );
  }
  const lingers =
    (await asked(host, 'loginctl', ['show-user', '--property=Linger', '--value'])).text.trim() === 'yes';
  output.result({ unit: places.unit, enabled: true, lingers }, [
    `Installed ${places.unit}: agents, gateways and the server come back when your user manager starts.`,
    lingers
      ? 'That is at the start of the machine.'
      : 'That is when you log in. To have it at the start of the machine: loginctl enable-linger',
  ]);
}

/** The files of the service that are there. */
export const serviceFiles = (host: AgentHost): string[] =>
  Object.values(placesOn(host)).filter((path) => existsSync(path));

/** Removes unit and script. What runs goes on. @returns their paths */
export async function removeService(host: AgentHost, output: Output): Promise<string[]> {
  const there = serviceFiles(host);
  if (there.includes(placesOn(host).unit)) {
    const trouble = await systemctl(host, 'disable', unitName);
    if (trouble !== null) output.progress(`systemctl --user disable ${unitName}: ${trouble}`);
  }
  for (const path of there) rmSync(path);
  return there;
}

/** `service uninstall`. */
export async function uninstallService(host: AgentHost, output: Output): Promise<void> {
  const there = await removeService(host, output);
  output.result({ removed: there }, [
    there.length === 0
      ? 'No service was installed.'
      : `Removed ${there.join(' and ')}. What runs goes on; agents and their files stay.`,
  ]);
}

/** @returns null when it worked, else the reason, as part of a sentence */
async function systemctl(host: AgentHost, ...args: string[]): Promise<string | null> {
  const { failure } = await asked(host, 'systemctl', ['--user', ...args]);
  return failure;
}

async function asked({ environment }: AgentHost, program: string, args: readonly string[]) {
  try {
    const { stdout } = await promisify(execFile)(program, [...args], { env: environment });
    return { failure: null, text: stdout };
  } catch (error) {
    const { code, stderr = '', message } = error as NodeJS.ErrnoException & { stderr?: string };
    const [line = ''] = stderr.trim().split('\n');
    return { failure: code === 'ENOENT' ? `${program} was not found` : line || message, text: '' };
  }
}
