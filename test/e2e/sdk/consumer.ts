import { execFile } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = fileURLToPath(new URL('../../..', import.meta.url));
const exec = promisify(execFile);

/** An integrator's project: an empty folder, and the strictest settings of TypeScript. */
export interface Consumer {
  readonly folder: string;
  write(name: string, text: string): void;
  /** Runs a program in it; what it prints and how it ended are in the error when it fails. */
  run(program: string, ...args: string[]): Promise<string>;
  /**
   * Compiles every .ts file, the declarations of dependencies included.
   * @param module the setting of TypeScript that says how modules are found; `node16` is the oldest that knows `exports`,
   *   `node10` is for CommonJS and goes by `types` and `typesVersions`.
   */
  compile(module?: ModuleSetting): Promise<void>;
  /** Packs the SDK, and what its fakes know of the contracts, into the folder and installs both; what npm says of the SDK's tarball. */
  installSdk(): Promise<Packed>;
  remove(): void;
}

export type ModuleSetting = 'node10' | 'node16' | 'nodenext';

/** The report of `npm pack` on a tarball. */
export interface Packed {
  readonly filename: string;
  /** In bytes. */
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

/**
 * @param type of its modules, as its package.json says it.
 * @param environment of its programs, beside that of the tests; what is put into it later counts, too.
 */
export function newConsumer(
  type: 'module' | 'commonjs' = 'module',
  environment: NodeJS.ProcessEnv = {},
): Consumer {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sdk-consumer-')));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const run = async (program: string, ...args: string[]) => {
    const apart = { npm_config_workspaces: undefined, npm_config_workspace: undefined };
    const env = { ...process.env, ...apart, ...environment };
    const { stdout } = await exec(program, args, { cwd: folder, env, timeout: 120_000 }).catch(
      (error: { message: string; stdout: string }) => {
        throw new Error(`${error.message}\n${error.stdout}`);
      },
    );
    return stdout;
  };
  const quietly = ['--no-audit', '--no-fund', '--prefer-offline'];
  write('package.json', JSON.stringify({ private: true, type }));
  // With it TypeScript wants `import … = require(…)` in CommonJS, which few programs have.
  const verbatimModuleSyntax = type === 'module';
  write('tsconfig.json', JSON.stringify({ compilerOptions: { ...compilerOptions, verbatimModuleSyntax } }));
  return {
    folder,
    write,
    run,
    compile: async (module = 'nodenext') => {
      const tsc = join(root, 'node_modules/typescript/bin/tsc');
      const found = module === 'node10' ? ['commonjs', '--moduleResolution', module] : [module];
      await run(process.execPath, tsc, '-p', folder, '--module', ...found);
    },
    installSdk: async () => {
      const packages = ['sdk', 'sdk-testing'].map((name) => join(root, name));
      const printed = await run('npm', 'pack', ...packages, '--json', '--pack-destination', folder);
      const [sdk, testing] = JSON.parse(printed) as [Packed, Packed];
      await run('npm', 'install', `./${sdk.filename}`, `./${testing.filename}`, ...quietly);
      return sdk;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const compilerOptions = {
  target: 'ES2022',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  types: [],
};
