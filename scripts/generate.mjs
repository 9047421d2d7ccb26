// Contract -> bundle -> types -> server stubs. `--check` writes nothing and fails when the tree would change.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const surfaces = ['gateway'];
const check = process.argv.includes('--check');
process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const [digest, jar] = readFileSync('scripts/openapi-generator.sha256', 'utf8').trim().split(/\s+/);

const say = (text) => console.log(`generate: ${text}`);

function run(command, args) {
  const done = spawnSync(command, args, { encoding: 'utf8' });
  if (done.error?.code === 'ENOENT') throw new Error(`${command} was not found`);
  if (done.status === 0) return;
  // A failing wrapper prints its own bundled source: keep the lines a human wrote.
  const said = `${done.stdout}${done.stderr}`
    .split('\n')
    .filter((line) => line.trim() && line.length < 300 && !/^\s+at /.test(line));
  throw new Error(
    `${command} ${args.join(' ')} failed (${done.status ?? done.error})\n${said.slice(-20).join('\n')}`,
  );
}
const bin = (name, ...args) => run(join('node_modules', '.bin', name), args);

function requireJava() {
  const java = spawnSync('java', ['-version'], { encoding: 'utf8' });
  if (java.status === 0) return;
  throw new Error(
    'Java is absent: generation needs Java 11 or newer (Debian: apt-get install default-jre-headless). Nothing else in this project does.',
  );
}

/** The npm wrapper fetches the jar that openapitools.json names and checks nothing: the digest is pinned here. */
function requireJar() {
  if (!existsSync(jar)) {
    say(`fetching ${jar}`);
    bin('openapi-generator-cli', 'version');
  }
  const actual = createHash('sha256').update(readFileSync(jar)).digest('hex');
  if (actual === digest) return;
  rmSync(jar);
  throw new Error(`${jar}: SHA-256 is ${actual}, expected ${digest}; removed it, run again`);
}

function generateSurface(surface, out) {
  const bundle = join(out, 'openapi.json');
  const server = join(out, 'server');
  say(`bundling openapi/${surface}.yaml`);
  bin('redocly', 'bundle', `openapi/${surface}.yaml`, '-o', bundle);
  say('types');
  bin('openapi-typescript', bundle, '-o', join(out, 'types.ts'), '--empty-objects-unknown');
  // For callers a property with a default is optional; for handlers the validator has filled it in.
  bin(
    'openapi-typescript',
    bundle,
    '-o',
    join(out, 'client.ts'),
    '--empty-objects-unknown',
    '--default-non-nullable',
    'false',
  );
  say('server stubs');
  run('java', ['-jar', jar, 'generate', '-c', 'scripts/generator.yaml', '-i', bundle, '-o', server]);
  rmSync(join(server, '.openapi-generator'), { recursive: true });
  rmSync(join(server, '.openapi-generator-ignore'), { force: true });
}

function readTree(folder) {
  const files = existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    : [];
  const paths = files.map((entry) => join(entry.parentPath ?? entry.path, entry.name)).sort();
  return new Map(paths.map((path) => [path.slice(folder.length), readFileSync(path, 'utf8')]));
}

function compare(surface, out) {
  const committed = join('generated', surface);
  const want = readTree(out);
  const have = readTree(committed);
  const paths = [...new Set([...want.keys(), ...have.keys()])].filter((p) => want.get(p) !== have.get(p));
  return paths.map((path) => committed + path);
}

mkdirSync('build', { recursive: true });
const work = mkdtempSync(join('build', 'generate-'));
try {
  requireJava();
  requireJar();
  const stale = [];
  for (const surface of surfaces) {
    const out = join(work, surface);
    generateSurface(surface, out);
    if (check) {
      stale.push(...compare(surface, out));
    } else {
      rmSync(join('generated', surface), { recursive: true, force: true });
      cpSync(out, join('generated', surface), { recursive: true });
    }
  }
  if (stale.length > 0) {
    throw new Error(
      `these files are not what the contract generates; run "npm run generate":\n  ${stale.join('\n  ')}`,
    );
  }
  say(check ? 'generated/ is what the contract says' : 'wrote generated/');
} catch (error) {
  console.error(`generate: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
