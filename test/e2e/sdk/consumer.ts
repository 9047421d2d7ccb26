import { execFile } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = fileURLToPath(new URL('../../..', import.meta.url));
const exec = promisify(execFile);

/** An integrator's project: an empty folder with ES modules and the strictest settings of TypeScript. */
export interface Consumer {
  readonly folder: string;
  write(name: string, text: string): void;
  /** Runs a program in it; what it prints and how it ended are in the error when it fails. */
  run(program: string, ...args: string[]): Promise<string>;
  /** Compiles every .ts file, the declarations of dependencies included. */
  compile(): Promise<void>;
  remove(): void;
}

export function newConsumer(): Consumer {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sdk-consumer-')));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const run = async (program: string, ...args: string[]) => {
    const env = { ...process.env, npm_config_workspaces: undefined, npm_config_workspace: undefined };
    const { stdout } = await exec(program, args, { cwd: folder, env, timeout: 120_000 }).catch(
      (error: { message: string; stdout: string }) => {
        throw new Error(`${error.message}\n${error.stdout}`);
      },
    );
    return stdout;
  };
  write('package.json', JSON.stringify({ private: true, type: 'module' }));
  write('tsconfig.json', JSON.stringify({ compilerOptions }));
  return {
    folder,
    write,
    run,
    compile: async () => {
      await run(process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', folder);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const compilerOptions = {
  target: 'ES2022',
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  types: [],
};
