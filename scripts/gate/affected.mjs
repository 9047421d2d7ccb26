// Which parts of `npm run test:all` a change may touch: pure. The first row that fits a path counts.

const everything = [
  'cli',
  'terminal',
  'server',
  'turns',
  'sdk',
  'page',
  'machine',
  'fleet',
  'mail-servers',
  'agents',
  'older',
  'clients',
];
const surfaces = ['schemathesis', 'hostile', 'clients', 'releases', 'breaking'];

/** Where a change lies, and the parts that it may touch. `npm test` always runs. */
export const table = [
  ['src/foundation/', [...everything, 'hostile', 'node-24']],
  ['src/storage/', [...everything, 'hostile', 'bench', 'node-22', 'node-24']],
  ['src/contract/', [...everything, ...surfaces]],
  ['src/session/', everything],
  ['src/events/', everything],
  ['src/tools/', ['agents', 'terminal', 'turns', 'server', 'cli']],
  ['src/diagnostics/', ['turns', 'machine', 'cli']],
  ['src/telemetry/', ['turns', 'machine', 'server']],
  ['src/terminal/', ['terminal', 'server', 'cli', 'agents', 'page']],
  ['src/mail/', ['mail-servers', 'cli', 'turns', 'machine', 'page', 'agents']],
  ['src/run/', ['turns', 'server', 'agents', 'machine', 'node-24']],
  ['src/agent/', ['turns', 'terminal', 'server', 'agents', 'cli']],
  ['src/turn/', ['turns', 'terminal', 'server', 'agents', 'machine', 'cli']],
  ['src/dispatch/', ['turns', 'terminal', 'server', 'agents', 'machine', 'cli']],
  ['src/http/', [...surfaces, 'turns', 'server', 'page', 'sdk', 'bench']],
  ['src/page/', ['page']],
  ['src/launch/', ['turns', 'terminal', 'server', 'cli', 'agents', 'older', 'page']],
  ['src/gateway/', everything.concat(surfaces, 'bench')],
  ['src/server/', ['server', 'cli', 'page', 'sdk', 'agents', ...surfaces]],
  ['src/protocols/', ['protocols', 'cli']],
  ['src/fleet/', ['fleet']],
  ['src/cli/commands/fleet/', ['fleet']],
  ['src/cli/', ['cli', 'older', 'page', 'protocols']],
  ['src/demo/', ['page']],
  ['standin/', everything],
  ['console/', ['page']],
  ['openapi/', ['page', 'sdk', ...surfaces]],
  ['generated/', ['page', 'sdk', ...surfaces]],
  ['sdk/', ['sdk', 'runtimes', 'cli', 'server', 'page', 'turns']],
  ['examples/', ['turns', 'page']],
  ['skills/', ['cli', 'installed']],
  ['test/e2e/cli/', ['cli']],
  ['test/e2e/terminal/', ['terminal']],
  ['test/e2e/standin-tui/', ['terminal']],
  ['test/e2e/server/', ['server']],
  ['test/e2e/telemetry/', ['server']],
  ['test/e2e/sdk/', ['sdk']],
  ['test/e2e/demo/', ['page']],
  ['test/e2e/docs/', ['page']],
  ['test/e2e/console/', ['page']],
  ['test/e2e/machine/', ['machine']],
  ['test/e2e/protocols/', ['protocols']],
  ['test/e2e/fleet/', ['fleet']],
  ['test/protocols/', ['protocols']],
  ['test/e2e/', ['turns']],
  ['test/agents/', ['agents']],
  ['test/mail-servers/', ['mail-servers']],
  ['test/clients/', ['clients']],
  ['test/older/', ['older']],
  ['test/runtimes/', ['runtimes']],
  ['test/installed/', ['installed']],
  ['test/releases/', ['releases']],
  ['test/breaking/', ['breaking']],
  ['test/schemathesis/', ['schemathesis']],
  ['test/hostile/', ['hostile']],
  ['test/nodes/', ['node-22', 'node-24']],
  ['test/support/', everything],
  ['test/', []],
  ['scripts/bench/', ['bench']],
  ['scripts/breaking/', ['breaking']],
  ['scripts/build/', [...everything, 'installed', 'node-22', 'node-24']],
  ['scripts/bootstrap', ['turns', 'page', 'installed', 'node-22', 'node-24']],
  ['scripts/', []],
  ['docs/', ['page', 'sdk']],
  ['README.md', ['page', 'sdk']],
  ['package', [...everything, ...surfaces, 'runtimes', 'installed', 'bench', 'node-22', 'node-24']],
];

/**
 * @param {readonly string[]} paths that changed, relative to the repository
 * @returns {Set<string>} the names of the parts; of paths that no row fits, all that any row names
 */
export function affectedParts(paths) {
  const all = new Set(table.flatMap(([, names]) => names));
  const namesOf = (path) => table.find(([prefix]) => path.startsWith(prefix))?.[1];
  const isText = (path) => /^[^/]+\.md$|^LICENSE$|^\.gitignore$/.test(path);
  return new Set(paths.flatMap((path) => namesOf(path) ?? (isText(path) ? [] : [...all])));
}
