import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runCommand } from './run-command.mjs';

/**
 * A virtual environment in `.tools/` with what a requirements file names; made once for each wording of the file.
 * @returns the folder of its programs
 * @throws Error when Python cannot make one, or a package cannot be had.
 */
export function pythonEnvironment(name, requirements, say) {
  const python = runCommand('python3', ['-c', 'import sys; print(sys.version, sys.executable)']);
  const digest = createHash('sha256').update(python).update(readFileSync(requirements)).digest('hex');
  const folder = resolve('.tools', `${name}-${digest.slice(0, 12)}`);
  const stamp = join(folder, '.installed');
  if (!existsSync(stamp)) {
    say(`installing the Python packages of ${name}`);
    rmSync(folder, { recursive: true, force: true });
    makeEnvironment(folder);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements];
    runCommand(join(folder, 'bin', 'python'), pip);
    writeFileSync(stamp, '');
  }
  return join(folder, 'bin');
}

function makeEnvironment(folder) {
  try {
    runCommand('python3', ['-m', 'venv', folder]);
  } catch (error) {
    if (!/ensurepip|No module named venv/.test(error.message)) throw error;
    throw new Error(
      'Python cannot make environments; install venv first (Debian: apt-get install python3-venv)',
    );
  }
}
