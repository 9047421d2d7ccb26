// Contract -> bundle -> types -> server stubs -> catalogues in docs/. `--check` writes nothing and fails when the tree would change.
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
import { clientTypes } from './client-types.mjs';
import { methodDocs } from './method-docs.mjs';
import { importTypeScript } from './tools/import-typescript.mjs';
import { requireGenerator, runGenerator } from './tools/openapi-generator.mjs';
import { runBin } from './tools/run-command.mjs';
import { surfaces } from './tools/surfaces.mjs';

const check = process.argv.includes('--check');
process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));

const say = (text) => console.log(`generate: ${text}`);

async function generateSurface(surface, out) {
  const bundle = join(out, 'openapi.json');
  const server = join(out, 'server');
  say(`bundling openapi/${surface}.yaml`);
  runBin('redocly', 'bundle', `openapi/${surface}.yaml`, '-o', bundle);
  say('types');
  runBin('openapi-typescript', bundle, '-o', join(out, 'types.ts'), '--empty-objects-unknown');
  writeFileSync(join(out, 'client.ts'), await clientTypes(JSON.parse(readFileSync(bundle, 'utf8'))));
  writeFileSync(join(out, 'methods.ts'), await documentedMethods(surface, bundle));
  say('server stubs');
  runGenerator('-c', 'scripts/generator.yaml', '-i', bundle, '-o', server);
  rmSync(join(server, '.openapi-generator'), { recursive: true });
  rmSync(join(server, '.openapi-generator-ignore'), { force: true });
}

async function documentedMethods(surface, bundle) {
  const { gatewayGroups, serverGroups, withGroups } = await importTypeScript('sdk/src/core/groups.ts');
  const groups = surface === 'gateway' ? gatewayGroups : { ...gatewayGroups, ...serverGroups };
  const document = JSON.parse(readFileSync(bundle, 'utf8'));
  const ids = Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ operationId }) => operationId ?? []);
  const named = withGroups(groups, Object.fromEntries(ids.map((id) => [id, id])));
  return methodDocs(document, Object.fromEntries(Object.entries(named).filter(([group]) => group in groups)));
}

function readTree(folder) {
  const files = existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    : [];
  const paths = files.map((entry) => join(entry.parentPath ?? entry.path, entry.name)).sort();
  return new Map(paths.map((path) => [path.slice(folder.length), readFileSync(path, 'utf8')]));
}

/** The documents of docs/ that the contract generates, by their paths. */
async function catalogues(out) {
  const { errorsMarkdown, eventsMarkdown } = await importTypeScript(
    'src/contract/document/catalogue-markdown.ts',
  );
  const contracts = surfaces.map((surface) => {
    const document = JSON.parse(readFileSync(join(out, surface, 'openapi.json'), 'utf8'));
    return { name: document.info.title, document };
  });
  const withEvents = contracts.find(({ document }) => '/v1/events' in document.paths);
  const origin = 'Made by `npm run generate` from the contract. ';
  return {
    [join('docs', 'errors.md')]: errorsMarkdown(contracts, origin),
    [join('docs', 'events.md')]: eventsMarkdown(withEvents, origin),
  };
}

/** The files of the tree that are not what was made, those of surfaces that are gone among them. */
function compare(out, documents) {
  const want = readTree(out);
  const have = readTree('generated');
  const paths = [...new Set([...want.keys(), ...have.keys()])].filter((p) => want.get(p) !== have.get(p));
  const texts = Object.entries(documents).filter(
    ([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text,
  );
  return [...paths.map((path) => join('generated', path)), ...texts.map(([path]) => path)];
}

mkdirSync('build', { recursive: true });
const work = mkdtempSync(join('build', 'generate-'));
try {
  requireGenerator(say);
  for (const surface of surfaces) await generateSurface(surface, join(work, surface));
  const documents = await catalogues(work);
  if (check) {
    const stale = compare(work, documents);
    if (stale.length > 0) {
      throw new Error(
        `these files are not what the contract generates; run "npm run generate":\n  ${stale.join('\n  ')}`,
      );
    }
  } else {
    rmSync('generated', { recursive: true, force: true });
    for (const surface of surfaces)
      cpSync(join(work, surface), join('generated', surface), { recursive: true });
    for (const [path, text] of Object.entries(documents)) writeFileSync(path, text);
  }
  say(
    check
      ? 'generated/ and docs/ are what the contract says'
      : 'wrote generated/, docs/errors.md, docs/events.md',
  );
} catch (error) {
  console.error(`generate: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
