// The sizes and the inside of the rooms in src/: no circle between folders, no room too large, no crumbs; and no file too long anywhere.
// Type-only imports count. Run by `npm run lint`; says each finding and exits with 1.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const longestFile = 350;
/** The largest part of all lines that one room may have. */
const largestRoom = 0.2;

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const cruised = spawnSync(
  process.execPath,
  [
    join('node_modules', 'dependency-cruiser', 'bin', 'dependency-cruise.mjs'),
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'json',
    'src',
  ],
  { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
);
if (!cruised.stdout) throw new Error(`dependency-cruiser printed nothing: ${cruised.stderr}`);
const files = JSON.parse(cruised.stdout).modules.filter(({ source }) => source.startsWith('src/'));

/** A file with fewer lines and a single importer belongs into that. */
const shortestAlone = 25;
/** Those that stand alone all the same, and why. */
const alone = {
  'src/gateway/handlers/handlers.ts':
    'the list of all handlers is what the compiler compares with the contract',
  'src/gateway/queue-schemas.ts': 'benches and tests open the database with it, without a gateway',
  'src/http/contract/eov/finite-numbers.ts': 'a workaround for a library stands alone',
  'src/http/contract/eov/leave-discriminators.ts': 'a workaround for a library stands alone',
  'src/http/contract/eov/no-brackets.ts': 'a workaround for a library stands alone',
  'src/http/contract/eov/tell-answers-apart.ts': 'a workaround for a library stands alone',
  'src/protocols/mcp/mcp-http.ts':
    'the server loads it when it is first asked, without the library for standard input',
  'src/protocols/mcp/mcp-stdio.ts': 'the manager loads it for one command, without the library for HTTP',
};
const mostFiles = 680;

const findings = [...longFiles(), ...largeRooms(), ...crumbs(), ...circles()];
for (const finding of findings) console.error(`rooms: ${finding}`);
process.exitCode = findings.length === 0 ? 0 : 1;

function linesOf(path) {
  return readFileSync(path, 'utf8').split('\n').length - 1;
}

function longFiles() {
  return ['src', 'sdk/src', 'standin/src', 'console/src', 'scripts', 'examples', 'test']
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, name)))
    .filter((path) => /\.(tsx?|mjs)$/.test(path) && !/node_modules|generated/.test(path))
    .map((path) => ({ path, lines: linesOf(path) }))
    .filter(({ lines }) => lines > longestFile)
    .map(({ path, lines }) => `${path} has ${lines} lines; above ${longestFile} it is usually two things`);
}

function largeRooms() {
  const rooms = new Map();
  for (const { source } of files) {
    const room = source.split('/')[1];
    rooms.set(room, (rooms.get(room) ?? 0) + linesOf(source));
  }
  const all = [...rooms.values()].reduce((sum, lines) => sum + lines, 0);
  return [...rooms]
    .filter(([, lines]) => lines > all * largestRoom)
    .map(([room, lines]) => `src/${room} has ${lines} of ${all} lines, more than ${largestRoom * 100} %`);
}

function crumbs() {
  const found = files
    .filter(({ source, dependents }) => dependents.length === 1 && linesOf(source) < shortestAlone)
    .map(({ source, dependents: [importer] }) => ({ source, importer }));
  const many = files.length > mostFiles ? [`src has ${files.length} files, more than ${mostFiles}`] : [];
  const idle = Object.keys(alone).filter((path) => !found.some(({ source }) => source === path));
  return [
    ...many,
    ...found
      .filter(({ source }) => !(source in alone))
      .map(
        ({ source, importer }) =>
          `${source} has fewer than ${shortestAlone} lines and only ${importer} needs it: write it there`,
      ),
    ...idle.map((path) => `${path} is no file that needs a reason to stand alone: take it off the list`),
  ];
}

/** Circles between folders, each reported once by the folders on it. */
function circles() {
  const arrows = new Map();
  for (const { source, dependencies } of files) {
    const from = dirname(source);
    for (const { resolved } of dependencies) {
      const to = dirname(resolved);
      if (!resolved.startsWith('src/') || to === from) continue;
      if (!arrows.has(from)) arrows.set(from, new Map());
      if (!arrows.get(from).has(to)) arrows.get(from).set(to, `${source} → ${resolved}`);
    }
  }
  const reachable = (start) => {
    const seen = new Set();
    const open = [start];
    for (let folder = open.pop(); folder !== undefined; folder = open.pop())
      for (const next of arrows.get(folder)?.keys() ?? [])
        if (!seen.has(next)) {
          seen.add(next);
          open.push(next);
        }
    return seen;
  };
  const reach = new Map([...arrows.keys()].map((folder) => [folder, reachable(folder)]));
  return [...arrows].flatMap(([from, targets]) =>
    [...targets]
      .filter(([to]) => reach.get(to)?.has(from))
      .map(([to, example]) => `${from} and ${to} need each other: ${example}`),
  );
}
