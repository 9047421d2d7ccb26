// Contract -> bundle -> types -> server stubs. `--check` writes nothing and fails when the tree would change.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { methodDocs } from './method-docs.mjs';
import { requireGenerator, runGenerator } from './tools/openapi-generator.mjs';
import { runBin } from './tools/run-command.mjs';
import { surfaces } from './tools/surfaces.mjs';

const check = process.argv.includes('--check');
process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));

const say = (text) => console.log(`generate: ${text}`);

function generateSurface(surface, out) {
  const bundle = join(out, 'openapi.json');
  const server = join(out, 'server');
  say(`bundling openapi/${surface}.yaml`);
  runBin('redocly', 'bundle', `openapi/${surface}.yaml`, '-o', bundle);
  say('types');
  runBin('openapi-typescript', bundle, '-o', join(out, 'types.ts'), '--empty-objects-unknown');
  // For callers a property with a default is optional; for handlers the validator has filled it in. Two whole files for
  // these few lines: a type cannot tell a property that is optional because of its default from any other, and shapes
  // derived from one another (`Omit`, mapped types) would show neither names nor comments to who writes a request.
  runBin(
    'openapi-typescript',
    bundle,
    '-o',
    join(out, 'client.ts'),
    '--empty-objects-unknown',
    '--default-non-nullable',
    'false',
  );
  writeFileSync(join(out, 'methods.ts'), methodDocs(JSON.parse(readFileSync(bundle, 'utf8'))));
  say('server stubs');
  runGenerator('-c', 'scripts/generator.yaml', '-i', bundle, '-o', server);
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

/** The files below `generated/` that are not what lies in `out`, those of surfaces that are gone among them. */
function compare(out) {
  const want = readTree(out);
  const have = readTree('generated');
  const paths = [...new Set([...want.keys(), ...have.keys()])].filter((p) => want.get(p) !== have.get(p));
  return paths.map((path) => join('generated', path));
}

mkdirSync('build', { recursive: true });
const work = mkdtempSync(join('build', 'generate-'));
try {
  requireGenerator(say);
  for (const surface of surfaces) generateSurface(surface, join(work, surface));
  if (check) {
    const stale = compare(work);
    if (stale.length > 0) {
      throw new Error(
        `these files are not what the contract generates; run "npm run generate":\n  ${stale.join('\n  ')}`,
      );
    }
  } else {
    rmSync('generated', { recursive: true, force: true });
    for (const surface of surfaces)
      cpSync(join(work, surface), join('generated', surface), { recursive: true });
  }
  say(check ? 'generated/ is what the contract says' : 'wrote generated/');
} catch (error) {
  console.error(`generate: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
