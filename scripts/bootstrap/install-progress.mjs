// The lines that a person reads while npm works, and when it fails, and npm's environment. Imports no package: it runs before any is
// there, and `houmao-mgr setup` has it too (`#install-progress`).
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** As often as it says that an install goes on, in seconds. */
export const stillEverySeconds = 20;

/** A line of node-gyp about itself; npm prints the command `node-gyp rebuild` also where it is not needed. */
const gypWorks = /^gyp info /m;

/**
 * Follows what npm writes (with --foreground-scripts, or a compile is heard of only at its end).
 * @param {(line: string) => void} say
 * @returns `heard`, to be given each piece of that, and `still`, to be given how many seconds it has taken so far
 */
export function installProgress(say) {
  let compiles = false;
  return {
    /** @param {string} text */
    heard(text) {
      if (compiles || !gypWorks.test(text)) return;
      compiles = true;
      say(
        `compiling SQLite: no ready-made one was found for this Node. It takes one to five minutes, once; a line every ${stillEverySeconds} seconds says that it goes on`,
      );
    },
    /** @param {number} seconds */
    still(seconds) {
      say(`still ${compiles ? 'compiling SQLite' : 'installing packages'}, ${seconds} seconds so far`);
    },
  };
}

const compilerPackages = 'python3 make g++';

/** The lines of node-gyp, make and a shell about a program that is missing, and its name. */
const missingPrograms = [
  [/gyp ERR! find Python/, 'Python 3'],
  [/not found: g?make\b|\bg?make: (?:command )?not found/, 'make'],
  [
    /\b(?:g\+\+|c\+\+|cc|gcc|clang\+*): (?:command )?not found|\b(?:g\+\+|c\+\+|cc|gcc|clang\+*): No such file/,
    'a C++ compiler',
  ],
];

/**
 * Why an install failed, and what to do.
 * @param {string} log everything that npm wrote
 * @param {string} file where that stands
 * @returns {string} a sentence or two
 */
export function installFailure(log, file) {
  const all = `${file} has all that npm said.`;
  const missing = missingPrograms.filter(([said]) => said.test(log)).map(([, name]) => name);
  if (missing.length > 0)
    return `SQLite could not be compiled: ${missing.join(' and ')} was not found. Install it (Debian: apt-get install ${compilerPackages}) and run this again; ${all}`;
  if (/gyp ERR!/.test(log)) return `SQLite could not be compiled${because(log)}. ${all}`;
  return `the packages could not be installed${because(log)}. ${all}`;
}

/** The first error of a compiler, else what node-gyp or npm gives as the reason. */
function because(log) {
  const [, reason] =
    /^.*?\b((?:fatal )?error: .+)$/m.exec(log) ??
    /^gyp ERR! stack (?:Error: )?(.+)$/m.exec(log) ??
    /^npm (?:ERR!|error) (?!code\b|errno\b|A complete log)(.+)$/m.exec(log) ??
    [];
  return reason === undefined ? '' : `: ${reason.trim().replace(/\.$/, '')}`;
}

/**
 * Headers beside a Node serve an addon better than those of another one that npm may be configured for.
 * @param {NodeJS.ProcessEnv} environment
 * @param {string} node the path of the Node that the addon is for
 * @returns {NodeJS.ProcessEnv}
 */
export function npmEnvironment(environment, node) {
  const prefix = dirname(dirname(node));
  const headers = existsSync(join(prefix, 'include', 'node', 'node_version.h'));
  return headers ? { ...environment, npm_config_nodedir: prefix } : environment;
}
